package onnxgraph

import (
	"errors"
	"io"
	"sync"
)

// A DataFile is an open file of external data.
type DataFile interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// A DataOpener opens the files that hold external data. Locations have passed
// [CheckLocation]: relative, with forward slashes, never leaving the folder.
type DataOpener interface {
	OpenData(location string) (DataFile, error)
}

// A source is where the values of a model's tensors come from: the model file
// itself and the data files beside it, each opened when first needed. Tensors
// of a model may be read by several goroutines.
type source struct {
	file   io.ReaderAt
	size   int64
	opener DataOpener // nil: external data cannot be read

	mu     sync.Mutex
	opened map[string]DataFile
	closed bool
}

// errNoFolder: the model came from something that has no place for data files.
var errNoFolder = errors.New("the model was read from a stream, which has no folder for data files")

// errClosed: values were asked for after the model's file was closed.
var errClosed = errors.New("the model's file has been closed")

// open returns the data file at a checked location.
func (s *source) open(location string) (DataFile, error) {
	if s == nil || s.opener == nil {
		return nil, errNoFolder
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if f, ok := s.opened[location]; ok {
		return f, nil
	}
	f, err := s.opener.OpenData(location)
	if err != nil {
		return nil, err
	}
	if s.opened == nil {
		s.opened = make(map[string]DataFile)
	}
	s.opened[location] = f
	return f, nil
}

// close closes every data file.
func (s *source) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var errs []error
	for _, f := range s.opened {
		errs = append(errs, f.Close())
	}
	s.opened = nil
	return errors.Join(errs...)
}
