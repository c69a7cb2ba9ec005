package op

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file reads inputs that are vectors of sizes, of which only the length may
// be known.

// MaxRank bounds the ranks that the length of a vector may decide, so that a
// file that names a vector of billions of sizes takes no memory.
const MaxRank = 4096

// VectorLength is how many elements an input slot has, when that is known and
// may be a rank.
func (c *Call) VectorLength(slot int) (int, bool) {
	n, ok := c.Shape(slot).Elements().Int()
	return int(n), ok && n <= MaxRank
}

// Sizes returns the elements of input slot i where they are sizes: unknown
// ones where only their number is known, an error where one is negative. n is
// -1 when not even the number is known.
func (c *Call) Sizes(i int, what string) (sizes []dim.Dim, n int, err error) {
	sizes, ok := c.Dims(i)
	if !ok {
		if n, ok := c.VectorLength(i); ok {
			return make([]dim.Dim, n), n, nil
		}
		return nil, -1, nil
	}
	for _, s := range sizes {
		if k, ok := s.Int(); ok && k < 0 {
			return nil, 0, c.Errorf(CodeValue, "%s holds %d", what, k)
		}
	}
	return sizes, len(sizes), nil
}

// AllKnown reports whether every dim is known.
func AllKnown(ds []dim.Dim) bool {
	return !slices.ContainsFunc(ds, func(d dim.Dim) bool { return !d.IsKnown() })
}

// Scalar is the element of an input that has one; unknown when it is not
// known.
func (c *Call) Scalar(i int) tensor.Scalar {
	if v := c.Value(i); v != nil && len(v.Elems) == 1 {
		return v.Elems[0]
	}
	return tensor.Scalar{}
}

// Number is the only element of input slot i, unknown when it is not known.
func (c *Call) Number(i int) dim.Dim { return c.Scalar(i).Num }

// A Presence says whether an optional input holds anything.
type Presence uint8

const (
	PresenceUnknown Presence = iota
	Absent                   // not given, or no elements
	Present
)

func (c *Call) Presence(slot int) Presence {
	if !c.Has(slot) {
		return Absent
	}
	n, ok := c.Shape(slot).Elements().Int()
	switch {
	case !ok:
		return PresenceUnknown
	case n == 0:
		return Absent
	}
	return Present
}
