// Package accuracy compares what reports say with recorded truth: the memory
// that ONNX Runtime requested for whole models, and what PyTorch held during
// training steps of the modules that they were exported from. The records are
// those of testdata/README.md, which says how each was made.
//
// An error is estimate/truth - 1: below zero is an under-estimate, which is
// worse than an over-estimate of the same size, so tables count those apart.
package accuracy
