package ort

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
)

// A provider is what the planner has to know of an execution provider.
type provider struct {
	// writesOver lists the inputs over which a kernel may write an output, in
	// the order in which they are tried. typ is the element type of that output.
	writesOver func(n *onnxgraph.Node, output int, typ onnxgraph.DType) []int
	// float16 says that kernels take float16, so that no Casts are needed.
	float16 bool
	// block is what the allocator rounds requests up to, in bytes.
	block int64
}

func cpuProvider() provider { return provider{writesOver: writesOver, block: 1} }

// cudaProvider is the CUDA provider as its sources describe it: kernels of
// arithmetic may write over either operand (core/providers/cuda/math), nearly
// all take float16, and the allocator deals in blocks of 256 bytes
// (core/framework/bfc_arena.h). It was not held against the runtime.
func cudaProvider() provider {
	return provider{float16: true, block: 256, writesOver: func(n *onnxgraph.Node, output int, typ onnxgraph.DType) []int {
		if inputs := cudaMayInplace[op.IDOf(n)]; inputs != nil && output == 0 {
			return inputs
		}
		return writesOver(n, output, typ)
	}}
}

// viewOf is the input whose buffer a kernel's output must be; -1 for none.
func viewOf(n *onnxgraph.Node, output int) int {
	id := op.IDOf(n)
	if id == (op.ID{Name: "BatchNormalization"}) && (output == 1 || output == 2) {
		return output + 2 // the running mean and variance, which it updates
	}
	if output == 0 && aliases[id] {
		return 0
	}
	return -1
}

// writesOver lists the inputs over which a CPU kernel may write an output, if
// nobody else needs them.
func writesOver(n *onnxgraph.Node, output int, typ onnxgraph.DType) []int {
	id := op.IDOf(n)
	if output != 0 || typ == onnxgraph.Double && notInDouble[id] {
		return nil
	}
	return mayInplace[id]
}

// runsFloat16 reports whether the CPU provider has a kernel of the operator for
// float16, from the given version of the operator on.
func runsFloat16(n *onnxgraph.Node, since int) bool {
	id := op.IDOf(n)
	if id == (op.ID{Name: "Dropout"}) {
		return since < 12
	}
	from, ok := float16Since[id]
	return ok && since >= from
}
