package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// This file reads the small files that flags name.

const (
	maxBaseline = 256 << 20 // bytes; a report with every node of a large model has some tens of MiB
	maxFeed     = 64 << 20  // bytes; what can decide a shape is far less
)

// readFile reads a regular file of at most limit bytes. Pipes and devices may
// never end, or wait for somebody to write.
func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reasonOf(err))
	}
	if err := checkSmall(path, info, limit); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reasonOf(err))
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil { // it may be another file by now
		err = checkSmall(path, info, limit)
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, reasonOf(err))
	case int64(len(data)) > limit: // as files in /proc are, whose size is 0
		return nil, tooLarge(path, limit)
	}
	return data, nil
}

func checkSmall(path string, info fs.FileInfo, limit int64) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s: is a folder, not a file", path)
	case info.Mode()&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%s: is a pipe, which is allowed for models only; write it to a file first", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is a device, not a file", path)
	case info.Size() > limit:
		return tooLarge(path, limit)
	}
	return nil
}

func tooLarge(path string, limit int64) error {
	return fmt.Errorf("%s: more than %d bytes, the limit for this file", path, limit)
}
