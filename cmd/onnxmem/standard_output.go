package main

import (
	"io"
	"io/fs"
)

// A standardOutput remembers that a write failed, since help, completion and
// others that a library prints look at no error. After the first failure it
// takes no more.
type standardOutput struct {
	io.Writer
	err error
}

// Write implements [io.Writer].
func (s *standardOutput) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.Writer.Write(p)
	s.err = err
	return n, err
}

// Stat describes the file that standard output is; it fails where it is none.
func (s *standardOutput) Stat() (fs.FileInfo, error) {
	if file, ok := s.Writer.(statter); ok {
		return file.Stat()
	}
	return nil, fs.ErrInvalid
}
