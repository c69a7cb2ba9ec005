package training

import (
	"onnxmem/report/memory/tape"
	"onnxmem/shapeinfer"
)

// Simulate computes the memory of training a model whose shapes are all
// known. The error is an *OptionError, or an *UnknownError that says which
// size or operator is in the way.
func Simulate(r *shapeinfer.Result, opts Options) (*Result, error) {
	return nil, &tape.UnknownError{Reason: "the simulation is not written yet"}
}
