package op

// This file holds what the standard says of the elements that an operator gives.

// An Effect says where the elements of an operator's first output come from.
type Effect uint8

const (
	// Computes is the common case: each element of the output is computed.
	Computes Effect = iota
	// Reduces means that something is computed with every element of the first
	// input, of which the output holds fewer: sums, maxima, searches, pools over
	// the whole image.
	Reduces
	// Moves means that nothing is computed: elements are copied, selected,
	// repeated, or filled in.
	Moves
	// Keeps means that the output holds each element of the first input once, in
	// whatever shape, order or element type.
	Keeps
)

// MovesData reports whether the operator computes nothing.
func (e Effect) MovesData() bool { return e == Moves || e == Keeps }

// A Randomness says whether equal inputs may give different outputs.
type Randomness uint8

const (
	// Never is the common case.
	Never Randomness = iota
	// InTraining means that the operator is random when it trains and not
	// otherwise: Dropout.
	InTraining
	// Always means that every run draws anew.
	Always
)
