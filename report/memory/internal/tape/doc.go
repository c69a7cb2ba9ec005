// Package tape turns an inferred ONNX graph into the tape of framework
// operators that an automatic differentiation records while it runs forward.
//
// Exporters take operators of the framework apart and drop what training
// needs; the tape puts them back together: LayerNorm, GELU, attention, linear
// layers, BatchNormalizations that were folded into convolutions.
package tape
