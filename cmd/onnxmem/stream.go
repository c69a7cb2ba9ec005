package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"onnxmem/onnxgraph"
)

// This file reads models that come as a stream of bytes, of which nobody knows
// how long it is.

const (
	// maxStream is the length in bytes that a model may have as a stream, which
	// has to stay in memory: the size that protobuf's own readers take.
	// https://protobuf.dev/programming-guides/encoding/#size-limit
	maxStream = 2 << 30
	// streamHead is how much of it is looked at before the rest is read, so that
	// what is no model at all ends soon, and not at the limit.
	streamHead = 1 << 20
	// streamPiece is how much is read at once after that.
	streamPiece = 8 << 20
)

// readStream reads a model from r to its end. A regular file, such as standard
// input may be, is read by ranges like any other.
func readStream(r io.Reader) (*modelFile, error) {
	if file, ok := r.(*os.File); ok {
		if section := restOf(file); section != nil {
			return readModel(section, section.Size())
		}
	}
	s, err := bufferStream(r, maxStream)
	if err != nil {
		return nil, err
	}
	return readModel(s, s.size)
}

func readModel(r io.ReaderAt, size int64) (*modelFile, error) {
	m, err := onnxgraph.Read(r, size)
	if err != nil {
		return nil, err
	}
	return &modelFile{Model: m, ReaderAt: r}, nil
}

// restOf is what a regular file has after its position; nil where it is none.
func restOf(file *os.File) *io.SectionReader {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	return io.NewSectionReader(file, at, max(info.Size()-at, 0))
}

// A stream holds what was read, in pieces that are not copied as it grows.
type stream struct {
	head   []byte
	pieces [][]byte // of streamPiece bytes, but for the last
	size   int64
}

// bufferStream reads at most limit bytes of r.
func bufferStream(r io.Reader, limit int64) (*stream, error) {
	head, err := io.ReadAll(io.LimitReader(r, streamHead))
	if err != nil {
		return nil, err
	}
	s := &stream{head: head, size: int64(len(head))}
	if len(head) < streamHead {
		return s, nil
	}
	if err := implausible(head, limit); err != nil {
		return nil, err
	}
	for {
		piece := make([]byte, streamPiece)
		n, err := io.ReadFull(r, piece)
		s.pieces = append(s.pieces, piece[:n])
		s.size += int64(n)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return s, nil
		case err != nil:
			return nil, err
		case s.size > limit:
			return nil, streamTooLong(limit)
		}
	}
}

// implausible says why a stream of unknown length that begins with head is no
// model; nil where it may be one.
func implausible(head []byte, limit int64) error {
	_, err := onnxgraph.Read(streamBeginning(head), limit)
	var format *onnxgraph.FormatError
	switch {
	case errors.Is(err, errGoesOn):
		return nil
	case errors.As(err, &format) && format.Code == onnxgraph.Truncated: // at the limit, where nothing ends
		return streamTooLong(limit)
	}
	return err
}

func streamTooLong(limit int64) error {
	return fmt.Errorf("not a readable ONNX model: it is longer than %d bytes, the limit for a stream; give the model as a file", limit)
}

// A streamBeginning is a stream of which only the beginning has been read.
type streamBeginning []byte

var errGoesOn = errors.New("the stream goes on")

// ReadAt implements [io.ReaderAt].
func (s streamBeginning) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, s[min(off, int64(len(s))):])
	if n < len(p) {
		return n, errGoesOn
	}
	return n, nil
}

// ReadAt implements [io.ReaderAt].
func (s *stream) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		rest := s.from(off + int64(n))
		if len(rest) == 0 {
			return n, io.EOF
		}
		n += copy(p[n:], rest)
	}
	return n, nil
}

// from is the rest of the piece that holds an offset; empty after the end.
func (s *stream) from(off int64) []byte {
	if off < int64(len(s.head)) {
		return s.head[off:]
	}
	off -= int64(len(s.head))
	if i := off / streamPiece; i < int64(len(s.pieces)) {
		return s.pieces[i][min(off%streamPiece, int64(len(s.pieces[i]))):]
	}
	return nil
}
