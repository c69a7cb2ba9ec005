// Package training simulates the memory of a training step: the forward pass
// with what each operator's derivative saves, the backward pass in reverse, and
// the optimizer's step, as PyTorch runs them.
//
// The simulation works on a tape of framework operators that package tape
// makes from an inferred graph. All sizes are bytes. What it does not know
// makes an error with a reason, never a guess.
package training
