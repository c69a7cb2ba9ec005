package weights

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
)

// fusedBeforeExport reports whether a model comes from a program that folds
// BatchNormalizations into convolutions by itself, before an exporter sees them:
// ultralytics, whose Model.fuse keeps the names of the weights, and which writes
// its own name into the model's metadata.
// https://github.com/ultralytics/ultralytics/blob/main/ultralytics/engine/exporter.py
func fusedBeforeExport(p *onnxgraph.Program) bool {
	author := slices.ContainsFunc(p.Model.Metadata, func(e onnxgraph.StringEntry) bool { return e.Key == "author" && e.Value == "Ultralytics" })
	return author && !slices.ContainsFunc(p.Main.Nodes, func(n *onnxgraph.Node) bool { return op.IDOf(n) == op.ID{Name: "BatchNormalization"} })
}

// readByActivation reports whether an activation reads a convolution's result,
// as after each convolution of ultralytics' own module that has a
// BatchNormalization (Conv in nn/modules/conv.py). The plain convolutions with a
// bias that end its heads have neither.
func readByActivation(s *onnxgraph.Scope, conv int32) bool {
	outs := s.NodeOutputs(conv)
	if len(outs) == 0 || outs[0] == onnxgraph.NoValue {
		return false
	}
	return slices.ContainsFunc(s.Uses(outs[0]), func(u onnxgraph.Use) bool { return activations[op.IDOf(s.Nodes[u.Node])] })
}

// activations lists the operators that start the activations of such modules:
// SiLU is x times the Sigmoid of x.
var activations = map[op.ID]bool{
	{Name: "Sigmoid"}: true, {Name: "Swish"}: true, {Name: "Relu"}: true, {Name: "LeakyRelu"}: true, {Name: "HardSwish"}: true, {Name: "Gelu"}: true, {Name: "Mish"}: true,
	{Domain: op.DomainMicrosoft, Name: "QuickGelu"}: true,
}
