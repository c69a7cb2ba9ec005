package annotate

import (
	"bytes"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/internal/wire"
)

// change records one change; an empty one counts as none.
func (w *walker) change(c change) {
	if c.drop == 0 && len(c.insert) == 0 {
		return
	}
	w.changes = append(w.changes, c)
	w.grown += int64(len(c.insert)) - c.drop
}

// message walks the inside of the message at e and, when that changes, writes
// its length anew.
func (w *walker) message(e onnxgraph.Extent, inside func()) {
	if w.err != nil {
		return
	}
	place, before := len(w.changes), w.grown
	w.changes = append(w.changes, change{at: e.Offset}) // the length stands before what is inside
	w.depth++
	inside()
	w.depth--
	if w.err != nil {
		return
	}
	if len(w.changes) == place+1 {
		w.changes = w.changes[:place]
		return
	}
	if w.grown == before {
		return
	}
	old, err := w.lengthBefore(e)
	if err != nil {
		w.err = err
		return
	}
	c := &w.changes[place]
	c.at, c.drop = e.Offset-old, old
	c.insert = protowire.AppendVarint(nil, uint64(e.Length+w.grown-before))
	w.grown += int64(len(c.insert)) - old
}

// lengthBefore is the size in bytes of the varint before the message at e,
// which holds its length. It may be longer than it need be. The byte before it
// ends the tag, and so has its high bit clear, which all but the last byte of
// a varint have set.
func (w *walker) lengthBefore(e onnxgraph.Extent) (int64, error) {
	b, err := w.read(onnxgraph.Extent{Offset: max(e.Offset-10, 0), Length: min(e.Offset, 10)})
	if err != nil {
		return 0, err
	}
	n := 1
	for n < len(b) && b[len(b)-n-1] >= 0x80 {
		n++
	}
	if n > len(b) {
		return 0, changed(e.Offset)
	}
	length, size := protowire.ConsumeVarint(b[len(b)-n:])
	if size != n || int64(length) != e.Length {
		return 0, changed(e.Offset)
	}
	return int64(n), nil
}

// set gives the ValueInfoProto at e the type t. An entry too long to be one is
// left alone, as is one whose type would nest too deep to be read.
func (w *walker) set(e onnxgraph.Extent, t *onnxgraph.Type) {
	if e.Length > maxEntry || w.depth+typeDepth(t) > wire.MaxDepth {
		return
	}
	old, err := w.read(e)
	if err != nil {
		w.err = err
		return
	}
	if b := setType(old, t); !bytes.Equal(b, old) {
		w.change(change{at: e.Offset, drop: e.Length, insert: b})
	}
}

// maxEntry bounds the entries that are read: a longer one holds something else
// than a name and a type.
const maxEntry = 1 << 20

func (w *walker) read(e onnxgraph.Extent) ([]byte, error) {
	b := make([]byte, e.Length)
	n, err := w.src.ReadAt(b, e.Offset)
	switch {
	case n == len(b):
		return b, nil
	case err == nil || err == io.EOF:
		return nil, changed(e.Offset + int64(n))
	}
	return nil, fmt.Errorf("at byte %d: %w", e.Offset, err)
}

func changed(at int64) error {
	return fmt.Errorf("at byte %d: the file is not the one that was read", at)
}
