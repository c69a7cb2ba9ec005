package op

import "slices"

// This file holds what an input is by the definition of its operator
// (https://onnx.ai/onnx/operators/): which inputs are weights.

// A Role says what an input slot of an operator is for, as far as a stored
// tensor there may be a parameter. Of the roles that a tensor has at several
// readers the greatest counts.
type Role uint8

const (
	// Data is the common case: an activation, or indices, shapes, limits. A
	// stored tensor there is a constant.
	Data Role = iota
	// Through means that the output is a function of this input alone, and the
	// readers of the output decide what a stored tensor there is.
	Through
	// Operand is one side of arithmetic that treats all sides alike: a parameter
	// as well as a constant.
	Operand
	// Statistic is a running mean or variance, which training updates without a
	// gradient.
	Statistic
	// Parameter is a weight, bias, scale or shift.
	Parameter
)

// Roles are the roles of the input slots, in order. The last one stands for all
// further slots. None at all means that every input is Data.
type Roles []Role

// At returns the role of an input slot.
func (r Roles) At(slot int) Role {
	if len(r) == 0 {
		return Data
	}
	return r[min(slot, len(r)-1)]
}

// ParametersAt makes the Roles of an operator whose inputs are parameters at
// these slots and data at all others: 1 and 2 for Conv.
func ParametersAt(slots ...int) Roles {
	r := make(Roles, slices.Max(slots)+2)
	for _, slot := range slots {
		r[slot] = Parameter
	}
	return r
}

// The roles that many operators share.
var (
	// ScaleAndShift are those of LayerNormalization: what it normalizes, which
	// may be a weight itself, its scale, its shift.
	ScaleAndShift = Roles{Through, Parameter, Parameter}
	// ThroughFirst are those of operators that hand on their first input.
	ThroughFirst = Roles{Through, Data}
)
