package wire

import (
	"errors"
	"io"
)

const (
	// minWindow is how much is read after a jump over a payload: enough for the
	// header of the next tensor, little enough that 512 of them cost nothing.
	minWindow = 1 << 10
	// maxWindow bounds the window, which doubles while reading is sequential.
	maxWindow = 64 << 10
)

// A window is the part of a source that is in memory. It moves forward only,
// unless told to jump.
type window struct {
	src   io.ReaderAt
	size  int64
	buf   []byte // storage
	bytes []byte // the bytes at hand: those at base, base+1 ...
	base  int64
	pos   int // of the next byte, in bytes
	want  int // size of the next refill
}

func newWindow(src io.ReaderAt, size int64) window {
	return window{src: src, size: size, want: minWindow}
}

// offset is the position of the next byte in the source.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// jump moves to an absolute offset. Nothing is read until bytes are wanted.
func (w *window) jump(to int64) {
	if to >= w.base && to <= w.base+int64(len(w.bytes)) {
		w.pos = int(to - w.base)
		return
	}
	w.base, w.bytes, w.pos, w.want = to, nil, 0, minWindow
}

// peek returns at least n bytes from the current position on, fewer only at
// the end of the source; n is at most minWindow.
func (w *window) peek(n int) ([]byte, error) {
	if rest := w.bytes[w.pos:]; len(rest) >= n {
		return rest, nil
	}
	return w.refill(n)
}

// refill makes peek's bytes available, keeping those that are there already.
func (w *window) refill(n int) ([]byte, error) {
	rest := w.bytes[w.pos:]
	left := w.size - w.offset() - int64(len(rest)) // bytes of the source not at hand
	if left <= 0 {
		return rest, nil
	}
	want := max(w.want, n)
	if want > cap(w.buf) {
		// The first window fits the source, so that small models stay small.
		grown := make([]byte, min(int64(want), max(w.size, 16)))
		copy(grown, rest)
		w.buf = grown
	} else {
		copy(w.buf[:cap(w.buf)], rest)
	}
	w.buf = w.buf[:cap(w.buf)]
	w.base += int64(w.pos)
	w.pos = 0
	have := len(rest)
	add := min(int64(min(want, len(w.buf))-have), left)
	got, err := w.src.ReadAt(w.buf[have:have+int(add)], w.base+int64(have))
	w.bytes = w.buf[:have+got]
	w.want = min(2*want, maxWindow)
	if int64(got) == add {
		return w.bytes, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the source is shorter than it said
	}
	return w.bytes, err
}
