package weights

import (
	"bytes"
	"io"
	"slices"

	"onnxmem/onnxgraph"
)

// This file finds matrices that hold the numbers of others with the axes
// swapped, as exporters store the weight of a projection whose Transpose they
// computed.

// transposedPairs pairs matrices with those that are their transpose. A table
// that is looked up comes first, else the one that the file has first.
func transposedPairs(tensors []*Tensor) [][2]*Tensor {
	type key struct {
		dtype         onnxgraph.DType
		rows, columns int64
		spots         string
	}
	var matrices []*Tensor
	shapes := map[key]int{}
	for _, t := range tensors {
		if t.Role == Trainable && len(t.Dims) == 2 && t.DType.Bits()%8 == 0 {
			matrices = append(matrices, t)
			shapes[key{dtype: t.DType, rows: t.Dims[0], columns: t.Dims[1]}]++
		}
	}
	seen := map[key]*Tensor{}
	var pairs [][2]*Tensor
	for _, t := range matrices {
		partners := shapes[key{dtype: t.DType, rows: t.Dims[1], columns: t.Dims[0]}]
		if partners == 0 || partners == 1 && t.Dims[0] == t.Dims[1] {
			continue
		}
		turned, ok := spotsOf(t, true)
		if !ok {
			continue
		}
		if o := seen[key{t.DType, t.Dims[1], t.Dims[0], turned}]; o != nil && isTranspose(o, t) {
			if slices.ContainsFunc(t.Readers, isLookup) && !slices.ContainsFunc(o.Readers, isLookup) {
				o, t = t, o
			}
			pairs = append(pairs, [2]*Tensor{o, t})
			continue
		}
		if own, ok := spotsOf(t, false); ok {
			seen[key{t.DType, t.Dims[0], t.Dims[1], own}] = t
		}
	}
	return pairs
}

// spotsOf reads some elements of a matrix, or those at the same places of its
// transpose. ok is false where they cannot be read or are all the same.
func spotsOf(t *Tensor, transposed bool) (spots string, ok bool) {
	r, err := t.Tensor.Open()
	if err != nil {
		return "", false
	}
	rows, columns := t.Dims[0], t.Dims[1]
	if transposed {
		rows, columns = columns, rows
	}
	size := int64(t.DType.Bits() / 8)
	buf := make([]byte, 4*size)
	for k := range int64(4) {
		i, j := rows*(2*k+1)/8, columns*(3*k+2)/13 // anywhere, but on no line
		if transposed {
			i, j = j, i
		}
		if _, err := r.ReadAt(buf[k*size:(k+1)*size], (i*t.Dims[1]+j)*size); err != nil {
			return "", false
		}
	}
	return string(buf), !uniform(buf, size)
}

// isTranspose compares two matrices whole, some rows of the first at a time.
func isTranspose(a, b *Tensor) bool {
	x, err := a.Tensor.Open()
	if err != nil {
		return false
	}
	y, err := b.Tensor.Open()
	if err != nil {
		return false
	}
	rows, columns, size := a.Dims[0], a.Dims[1], int64(a.DType.Bits()/8)
	const block = 8 << 20 // bytes of the first matrix in memory
	step := max(1, block/(columns*size))
	first := make([]byte, min(step, rows)*columns*size)
	second := make([]byte, min(step, rows)*size)
	for top := int64(0); top < rows; top += step {
		n := min(step, rows-top)
		if _, err := io.ReadFull(io.NewSectionReader(x, top*columns*size, n*columns*size), first[:n*columns*size]); err != nil {
			return false
		}
		for j := range columns {
			part := second[:n*size]
			if k, err := y.ReadAt(part, (j*rows+top)*size); int64(k) < n*size && err != nil {
				return false
			}
			for i := range n {
				at := (i*columns + j) * size
				if !bytes.Equal(first[at:at+size], part[i*size:(i+1)*size]) {
					return false
				}
			}
		}
	}
	return true
}
