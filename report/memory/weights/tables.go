package weights

import (
	"math"
	"slices"

	"onnxmem/onnxgraph"
)

// This file tells tables that a program computed from parameters by what they
// hold: frequencies of rotary embeddings, and sines and cosines of positions.
// Nothing that was ever drawn at random or trained looks like one.

// isTable reports whether a tensor is a table of frequencies or of angles.
func isTable(t *onnxgraph.Tensor) bool {
	if t == nil {
		return false
	}
	n, ok := t.Elements()
	if !ok || n < leastFrequencies {
		return false
	}
	if n <= mostFrequencies {
		// The first one tells nearly all others apart, and takes less to read.
		if first, ok := readAt(t, 0, 1); ok && first[0] == 1 {
			if values, ok := readAt(t, 0, n); ok && isFrequencies(values) {
				return true
			}
		}
	}
	return isAngles(t, n)
}

const (
	// leastFrequencies is the least number of frequencies that are taken for a
	// table: three could fall into a geometric series by chance.
	leastFrequencies = 4
	// mostFrequencies bounds what is read: a frequency is one a pair of elements
	// of a head, of which models have up to some hundreds.
	mostFrequencies = 4096
)

// isFrequencies reports whether values are base^(-2i/d) or its inverses, each
// perhaps several times in a row: positive and in order, the first quarter of
// them a geometric series that starts at 1. Models that stretch their context
// change only the tail (Peng et al., YaRN, 2023).
func isFrequencies(values []float64) bool {
	distinct := slices.Compact(slices.Clone(values))
	if len(distinct) < leastFrequencies || distinct[0] != 1 || len(values)%len(distinct) != 0 {
		return false
	}
	ratio := distinct[1]
	if ratio <= 0 {
		return false
	}
	series := max(leastFrequencies, len(distinct)/4)
	for i := 1; i < len(distinct); i++ {
		if distinct[i] <= 0 || (distinct[i] < distinct[i-1]) != (ratio < 1) {
			return false
		}
		// Half of the precision of 16-bit floats, which have 8 or 11 bits.
		if i < series && math.Abs(distinct[i]/distinct[i-1]/ratio-1) > 1.0/256 {
			return false
		}
	}
	return true
}

// angleRows is the number of rows from which a table of angles is told: two fix
// the angle of a column, the others confirm it.
const angleRows = 8

// isAngles reports whether the columns of a table are sines or cosines of equal
// steps. Each then follows x(i+1) + x(i-1) = 2 cos(step) x(i).
func isAngles(t *onnxgraph.Tensor, n int64) bool {
	if len(t.Dims) < 2 {
		return false
	}
	columns := t.Dims[len(t.Dims)-1]
	if columns < 2 || columns > mostFrequencies || n/columns < angleRows {
		return false
	}
	// Two rows tell most tables apart, and take less to read.
	values, ok := readAt(t, 0, 2*columns)
	if !ok || slices.ContainsFunc(values, func(x float64) bool { return !(math.Abs(x) <= 1.001) }) {
		return false
	}
	if values, ok = readAt(t, 0, angleRows*columns); !ok {
		return false
	}
	tolerance := 1e-4 // of float32: sines of angles below 10, and their sums
	if t.DType.Bits() < 32 {
		tolerance = 3.0 / 256 // three values of bfloat16, each rounded to 8 bits
	}
	turning := 0
	for c := range columns {
		moves, ok := isWave(values, c, columns, tolerance)
		if !ok {
			return false
		}
		if moves {
			turning++
		}
	}
	return turning >= 2
}

// isWave reports whether column c is a sine or cosine of equal steps; moves is
// false where the steps are too small to tell.
func isWave(values []float64, c, columns int64, tolerance float64) (moves, ok bool) {
	at := func(i int64) float64 { return values[i*columns+c] }
	pivot := int64(1)
	for i := int64(1); i < angleRows-1; i++ {
		if math.Abs(at(i)) > math.Abs(at(pivot)) {
			pivot = i
		}
	}
	if math.Abs(at(pivot)) <= tolerance {
		for i := range int64(angleRows) {
			if math.Abs(at(i)) > 10*tolerance { // a sine of steps that are nearly nothing stays near it
				return false, false
			}
		}
		return false, true
	}
	twice := (at(pivot+1) + at(pivot-1)) / at(pivot)
	if math.Abs(twice) > 2+tolerance/math.Abs(at(pivot))*4 {
		return false, false
	}
	for i := int64(1); i < angleRows-1; i++ {
		if math.Abs(at(i+1)+at(i-1)-twice*at(i)) > 4*tolerance {
			return false, false
		}
		moves = moves || math.Abs(at(i)-at(0)) > 100*tolerance
	}
	return moves, true
}
