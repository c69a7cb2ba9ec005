package runtimes

import (
	"onnxmem/report/memory"
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer"
)

// engineAlignment is the alignment of tensors in a compiled engine's block of
// device memory, in bytes.
const engineAlignment = 256

// compiledEngine estimates the activation memory of a runtime that compiles the whole
// network ahead, as TensorRT does: constants are folded, elementwise operators
// write over their input as if they were fused into the operator before, and
// all tensors get fixed places in one block. Its kernels' workspaces are not in
// it, and it was not held against such a runtime.
func compiledEngine(r *shapeinfer.Result) memory.Size {
	p := liveness.NewProgram(r, liveness.Options{FoldConstants: true, InPlace: true})
	arenas := p.PlanArena(engineAlignment)
	if arenas.Exact {
		return memory.ExactSize(arenas.Best.Bytes)
	}
	s := p.Peak().Size
	s.High = max(s.High, arenas.Best.Bytes)
	return s
}
