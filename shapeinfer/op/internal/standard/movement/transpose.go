package movement

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// Transpose: https://onnx.ai/onnx/operators/onnx__Transpose.html
// 13, 21, 23, 24, 25: more element types.
var transposeOps = []op.Op{
	{Name: "Transpose", Versions: []int{1, 13, 21, 23, 24, 25}, Infer: transpose, Effect: op.Keeps, Roles: op.ThroughFirst},
}

func transpose(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !in.Ranked() {
		if c.HasAttr("perm") && len(c.IntList("perm")) <= op.MaxRank {
			c.Set(0, c.DType(0), tensor.RankOnly(len(c.IntList("perm"))))
		}
		return nil
	}
	perm, err := permutation(c, in.Rank())
	if err != nil {
		return err
	}
	out := make([]dim.Dim, len(perm))
	for i, p := range perm {
		out[i] = in.At(p)
	}
	shape := tensor.MakeShape(out...)
	c.Set(0, c.DType(0), shape)
	v, dims := elements.Followed(c, 0, c.DType(0), shape)
	if v == nil {
		return nil
	}
	steps, from := make([]int64, len(perm)), elements.RowStrides(v.Dims)
	for i, p := range perm {
		steps[i] = from[p]
	}
	c.SetValue(0, elements.Strided(v, dims, 0, steps))
	return nil
}

// permutation is the attribute perm; the axes in reverse when it is missing.
func permutation(c *op.Call, rank int) ([]int, error) {
	if !c.HasAttr("perm") {
		perm := make([]int, rank)
		for i := range perm {
			perm[i] = rank - 1 - i
		}
		return perm, nil
	}
	list := c.IntList("perm")
	if len(list) != rank {
		return nil, c.Errorf(op.CodeAttribute, "perm names %d axes of an input of rank %d", len(list), rank)
	}
	return c.Axes(list, rank)
}
