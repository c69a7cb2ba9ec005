package onnxgraph

import (
	"encoding/binary"
	"fmt"
	"io"
)

// This file reads the values of tensors of strings.

// StringsData returns the values of t, which must be of type STRING. It refuses
// more than limit elements; a negative limit is none. Every error is a
// [*DataError].
func (t *Tensor) StringsData(limit int) ([]string, error) {
	if t.DType != String {
		return nil, t.typeError("type STRING")
	}
	if n, ok := t.Elements(); ok && limit >= 0 && n > int64(limit) {
		return nil, t.dataError(DataLimit, fmt.Sprintf("has %d elements, more than the %d asked for", n, limit), nil)
	}
	var list []string
	err := t.eachString(func(s *io.SectionReader) error {
		b := make([]byte, s.Size())
		if _, err := s.ReadAt(b, 0); err != nil && len(b) > 0 {
			return t.dataError(DataDamaged, "cannot read its values", err)
		}
		list = append(list, string(b))
		return nil
	})
	return list, err
}

// writeStrings is WriteData for strings.
func (t *Tensor) writeStrings(w io.Writer) error {
	return t.eachString(func(s *io.SectionReader) error {
		if _, err := w.Write(binary.AppendUvarint(nil, uint64(s.Size()))); err != nil {
			return err
		}
		_, err := io.Copy(w, s)
		return err
	})
}

// eachString calls read with every string of t, after a check that there are as
// many as its dims say.
func (t *Tensor) eachString(read func(*io.SectionReader) error) error {
	if err := t.attached(); err != nil {
		return err
	}
	if t.External {
		return t.dataError(DataField, "strings cannot be external data", nil)
	}
	have := int64(0)
	for _, p := range t.Payloads {
		if p.Field == StringData {
			have++
		}
	}
	if want, ok := t.Elements(); !ok || have != want {
		return t.dataError(DataSize, fmt.Sprintf("stores %d strings for the dims %d", have, t.Dims), nil)
	}
	for _, p := range t.Payloads {
		if p.Field != StringData {
			continue
		}
		if err := read(io.NewSectionReader(t.data.file, p.Extent.Offset, p.Extent.Length)); err != nil {
			return err
		}
	}
	return nil
}
