package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/linalg"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the matrix products of com.microsoft whose operands are
// stored whole
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribMatMulOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "DynamicQuantizeMatMul", Versions: []int{1}, Infer: dynamicQuantizeMatMul, MACs: linalg.MatMulMACs, QuantizedWeights: true},
	{Domain: op.DomainMicrosoft, Name: "FusedGemm", Versions: []int{1}, Infer: linalg.Gemm, MACs: linalg.GemmMACs, Roles: op.Roles{op.Parameter}},
	{Domain: op.DomainMicrosoft, Name: "FusedMatMul", Versions: []int{1}, Infer: fusedMatMul, MACs: fusedMatMulMACs, Roles: op.Roles{op.Parameter}},
	{Domain: op.DomainMicrosoft, Name: "FusedMatMulActivation", Versions: []int{1}, Infer: fusedMatMul, MACs: fusedMatMulMACs},
	{Domain: op.DomainMicrosoft, Name: "GemmFastGelu", Versions: []int{1}, Infer: gemmFastGelu, MACs: linalg.MatMulMACs},
	{Domain: op.DomainMicrosoft, Name: "GemmFloat8", Versions: []int{1}, Infer: gemmFloat8, MACs: linalg.GemmMACs},
	{Domain: op.DomainMicrosoft, Name: "MatMulInteger16", Versions: []int{1}, Infer: matMulInteger16, MACs: linalg.MatMulMACs},
	{Domain: op.DomainMicrosoft, Name: "MatMulIntegerToFloat", Versions: []int{1}, Infer: matMulIntegerToFloat, MACs: linalg.MatMulMACs, QuantizedWeights: true},
	{Domain: op.DomainMicrosoft, Name: "QGemm", Versions: []int{1}, Infer: qGemm, MACs: qGemmMACs, QuantizedWeights: true},
	{Domain: op.DomainMicrosoft, Name: "QOrderedMatMul", Versions: []int{1}, Infer: qOrderedMatMul, MACs: linalg.MatMulMACs},
	{Domain: op.DomainMicrosoft, Name: "RouterGateUpProj", Versions: []int{1}, Infer: routerGateUp, MACs: routerGateUpMACs},
	{Domain: op.DomainMicrosoft, Name: "SparseToDenseMatMul", Versions: []int{1}, Infer: sparseMatMul, MACs: op.UnknownMACs},
	{Domain: op.DomainMicrosoft, Name: "TransposeMatMul", Versions: []int{1}, Infer: fusedMatMul, MACs: fusedMatMulMACs, Roles: op.Roles{op.Parameter}},
}

func dynamicQuantizeMatMul(c *op.Call) error {
	return matMulBias(c, c.DType(0), c.Shape(0), c.Shape(1), 4)
}

func gemmFastGelu(c *op.Call) error { return matMulBias(c, c.DType(0), c.Shape(0), c.Shape(1), 2) }

func matMulIntegerToFloat(c *op.Call) error {
	return matMulBias(c, c.DType(2), c.Shape(0), c.Shape(1), 6)
}

// matMulBias is a product with a bias for each column in an input slot.
func matMulBias(c *op.Call, d onnxgraph.DType, a, b tensor.Shape, bias int) error {
	if err := linalg.MatMul(c, d, a, b); err != nil {
		return err
	}
	if b.Rank() < 2 {
		return nil
	}
	return c.CheckVector(bias, "bias", b.At(-1))
}

// matMulInteger16: products of signed and unsigned integers add up in INT32.
func matMulInteger16(c *op.Call) error {
	return linalg.MatMul(c, onnxgraph.Int32, c.Shape(0), c.Shape(1))
}

func qOrderedMatMul(c *op.Call) error { return linalg.MatMul(c, c.DType(0), c.Shape(0), c.Shape(2)) }

// fusedMatMul transposes its operands before the product.
func fusedMatMul(c *op.Call) error {
	a, b := transposedOperands(c)
	return linalg.MatMul(c, c.DType(0), a, b)
}

func transposedOperands(c *op.Call) (a, b tensor.Shape) {
	return transposedOperand(c.Shape(0), c.Flag("transA", false), c.Flag("transBatchA", false)),
		transposedOperand(c.Shape(1), c.Flag("transB", false), c.Flag("transBatchB", false))
}

// transposedOperand moves the first axis behind the batch axes (batch), then
// exchanges the last two axes (last). Vectors stay as they are, and matrices
// have no batch axes.
func transposedOperand(s tensor.Shape, last, batch bool) tensor.Shape {
	n := s.Rank()
	if n < 2 || !last && !batch {
		return s
	}
	out := s.Clone()
	if batch && n > 2 {
		copy(out, out[1:n-1])
		out[n-2] = s.At(0)
	}
	if last {
		out[n-2], out[n-1] = out[n-1], out[n-2]
	}
	return tensor.MakeShape(out...)
}

func fusedMatMulMACs(c *op.Call) dim.Dim {
	a, _ := transposedOperands(c)
	return linalg.ProductMACs(c.Outputs[0].Type.Shape, a)
}

// sparseMatMul has the element type of the dense operand.
func sparseMatMul(c *op.Call) error {
	a, b := transposedOperands(c)
	return linalg.MatMul(c, c.DType(1), a, b)
}

func gemmFloat8(c *op.Call) error {
	return linalg.SetGemm(c, c.DTypeAttr("dtype", onnxgraph.Float), c.Shape(0), c.Shape(1))
}

// qGemm makes FLOAT, or the type of y_zero_point where that is given.
func qGemm(c *op.Call) error {
	if err := linalg.SetGemm(c, c.DtypeOr(8, onnxgraph.Float), c.Shape(0), c.Shape(3)); err != nil {
		return err
	}
	return c.CheckBroadcast(c.Outputs[0].Type.Shape, c.Shape(6), "C")
}

func qGemmMACs(c *op.Call) dim.Dim {
	_, k := linalg.GemmSides(c.Shape(0), c.Flag("transA", false))
	return dim.Mul(c.Outputs[0].Type.Shape.Elements(), k)
}

// routerGateUp: W is K x (router_size + 2*inter), the outputs are ... x
// router_size and ... x inter.
func routerGateUp(c *op.Call) error {
	x, w := c.Shape(0), c.Shape(1)
	if err := c.CheckRank(1, "W", 2); err != nil {
		return err
	}
	if err := c.SameSize("last axis of X and rows of W", x.At(-1), w.At(0)); err != nil {
		return err
	}
	size := dim.Int(c.Int("router_size", 0))
	inter, err := c.DivideEvenly("columns of W beside the router", dim.Sub(w.At(1), size), dim.Int(2))
	if err != nil {
		return err
	}
	c.Set(0, c.DType(0), op.WithLastDim(x, size))
	c.Set(1, c.DType(0), op.WithLastDim(x, inter))
	return nil
}

func routerGateUpMACs(c *op.Call) dim.Dim {
	return dim.Mul(op.LeadingElements(c.Shape(0)), c.Shape(1).Elements())
}
