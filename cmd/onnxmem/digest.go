package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// digest is the SHA-256, in hexadecimal, of the first size bytes of a file.
func digest(file io.ReaderAt, size int64) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(file, 0, size)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
