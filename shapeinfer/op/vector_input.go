package op

import (
	"onnxmem/shapeinfer/dim"
)

// This file reads inputs that are vectors of sizes, of which only the length may
// be known.

// maxRank bounds the ranks that the length of a vector may decide, so that a
// file that names a vector of billions of sizes takes no memory.
const maxRank = 4096

// vectorLength is how many elements an input slot has, when that is known and
// may be a rank.
func (c *Call) vectorLength(slot int) (int, bool) {
	n, ok := c.Shape(slot).Elements().Int()
	return int(n), ok && n <= maxRank
}

// sizes returns the elements of input slot i where they are sizes: unknown
// ones where only their number is known, an error where one is negative. n is
// -1 when not even the number is known.
func (c *Call) sizes(i int, what string) (sizes []dim.Dim, n int, err error) {
	sizes, ok := c.Dims(i)
	if !ok {
		if n, ok := c.vectorLength(i); ok {
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

// allKnown reports whether every dim is known.
func allKnown(ds []dim.Dim) bool {
	for _, d := range ds {
		if !d.IsKnown() {
			return false
		}
	}
	return true
}
