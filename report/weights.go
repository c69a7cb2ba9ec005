package report

import (
	"cmp"
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory/weights"
)

// describeWeights fills the parts of the result that count stored constants.
func (r *Result) describeWeights(w *weights.Set, top int) {
	r.Parameters = Parameters{
		Count: w.Count, Trainable: w.Trainable, Buffers: w.Buffers, Constants: w.Constants, FoldedBatchNorm: w.FoldedBatchNorm,
		ByDType: byName(w.ElementsByDType), Notes: parameterNotes(w),
	}
	r.Weights = Weights{StoredBytes: &w.Stored, UnreadBytes: w.UnreadBytes, ByDType: byName(w.BytesByDType)}
	var atMost *int64 // what has no size has no limit, either
	if fill(w.Size(), &r.Weights.Bytes, &r.Weights.BytesAtLeast, &atMost); r.Weights.Bytes == nil {
		r.Weights.StoredBytes = nil
	}
	largest := make([]*weights.Tensor, len(w.Tensors))
	for i := range w.Tensors {
		largest[i] = &w.Tensors[i]
	}
	slices.SortStableFunc(largest, func(x, y *weights.Tensor) int { return cmp.Compare(y.Bytes, x.Bytes) })
	for _, t := range largest[:min(top, len(largest))] {
		r.Weights.Largest = append(r.Weights.Largest, weightTensor(t))
	}
}

func weightTensor(t *weights.Tensor) WeightTensor {
	shape := t.Dims
	if shape == nil {
		shape = []int64{}
	}
	return WeightTensor{Name: t.Name, DType: t.DType.String(), Shape: shape, Bytes: t.Bytes, Role: t.Role.String()}
}

// weightTensors lists all stored constants, each with the node that reads it:
// exporters give many weights a number for a name, and only the node tells
// where they belong.
func (a *Analysis) weightTensors(w *weights.Set) []WeightTensor {
	reader := map[string]string{}
	for i, n := range a.Numbers.Main.Graph.Nodes {
		for _, in := range n.Inputs {
			if _, known := reader[in]; !known {
				reader[in] = onnxgraph.NodeLabel(n, i)
			}
		}
	}
	list := make([]WeightTensor, len(w.Tensors))
	for i := range w.Tensors {
		list[i] = weightTensor(&w.Tensors[i])
		if w.Tensors[i].Graph == "" {
			list[i].UsedBy = reader[list[i].Name]
		}
	}
	return list
}

func byName(m map[onnxgraph.DType]int64) map[string]int64 {
	out := make(map[string]int64, len(m))
	for d, n := range m {
		out[d.String()] = n
	}
	return out
}
