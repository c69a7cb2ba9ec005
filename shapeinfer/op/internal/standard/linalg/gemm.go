package linalg

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds Gemm.
//
// Gemm: https://onnx.ai/onnx/operators/onnx__Gemm.html
// 1: C must have the result's shape unless the attribute broadcast is set; 6:
// other broadcasts of C; 7: C broadcasts always; 9: integers; 11: C is
// optional; 13: bfloat16.
var gemmOps = []op.Op{
	{Name: "Gemm", Versions: []int{1, 6}, Infer: gemmBroadcastAttribute, MACs: GemmMACs, Roles: op.Roles{op.Parameter}},
	{Name: "Gemm", Versions: []int{7, 9, 11, 13}, Infer: Gemm, MACs: GemmMACs, Roles: op.Roles{op.Parameter}},
}

func Gemm(c *op.Call) error {
	if err := SetGemm(c, c.DType(0), c.Shape(0), c.Shape(1)); err != nil {
		return err
	}
	return c.CheckBroadcast(c.Outputs[0].Type.Shape, c.Shape(2), "C")
}

func gemmBroadcastAttribute(c *op.Call) error {
	if err := Gemm(c); err != nil {
		return err
	}
	y, bias := c.Outputs[0].Type.Shape, c.Shape(2)
	if c.Flag("broadcast", false) || !y.Ranked() || !bias.Ranked() {
		return nil
	}
	if bias.Rank() != y.Rank() {
		return c.Errorf(op.CodeShape, "C %s is not of the result's shape %s, and broadcast is not set", bias, y)
	}
	for i, d := range bias.Dims() {
		if err := c.SameSize("C and the result, without broadcast", d, y.At(i)); err != nil {
			return err
		}
	}
	return nil
}

// SetGemm sets output 0 to the product of the matrices a and b, transposed as the
// attributes say, in the element type d.
func SetGemm(c *op.Call, d onnxgraph.DType, a, b tensor.Shape) error {
	c.Set(0, d, tensor.RankOnly(2))
	for _, s := range []tensor.Shape{a, b} {
		if s.Ranked() && s.Rank() != 2 {
			return c.Errorf(op.CodeRank, "operand %s is not a matrix", s)
		}
	}
	m, k := GemmSides(a, c.Flag("transA", false))
	inner, n := GemmSides(b, c.Flag("transB", false))
	if _, ok := op.MergeDims(k, inner); !ok {
		return c.Errorf(op.CodeShape, "%s and %s do not multiply: the inner dims %s and %s differ", a, b, k, inner)
	}
	c.Set(0, d, tensor.MakeShape(m, n))
	return nil
}

// GemmSides are the rows and columns of a matrix, exchanged when transposed.
func GemmSides(s tensor.Shape, transposed bool) (rows, columns dim.Dim) {
	if transposed {
		return s.At(1), s.At(0)
	}
	return s.At(0), s.At(1)
}

func GemmMACs(c *op.Call) dim.Dim {
	_, k := GemmSides(c.Shape(0), c.Flag("transA", false))
	if !k.IsKnown() {
		k, _ = GemmSides(c.Shape(1), c.Flag("transB", false))
	}
	return dim.Mul(c.Outputs[0].Type.Shape.Elements(), k)
}
