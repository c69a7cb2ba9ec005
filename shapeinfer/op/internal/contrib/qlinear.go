package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/movement"
	"onnxmem/shapeinfer/op/internal/standard/nn"
	"onnxmem/shapeinfer/op/internal/standard/reduce"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the elementwise and reducing operators of com.microsoft on
// quantised tensors, each followed by its scale and zero point
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribQLinearOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "MulInteger", Versions: []int{1}, Infer: mulInteger},
	{Domain: op.DomainMicrosoft, Name: "QLinearAdd", Versions: []int{1}, Infer: qLinearBinary},
	{Domain: op.DomainMicrosoft, Name: "QLinearConcat", Versions: []int{1}, Infer: qLinearConcat},
	{Domain: op.DomainMicrosoft, Name: "QLinearLeakyRelu", Versions: []int{1}, Infer: op.LikeFirst},
	{Domain: op.DomainMicrosoft, Name: "QLinearMul", Versions: []int{1}, Infer: qLinearBinary},
	{Domain: op.DomainMicrosoft, Name: "QLinearReduceMean", Versions: []int{1}, Infer: qLinearReduceMean, Effect: op.Reduces},
	{Domain: op.DomainMicrosoft, Name: "QLinearSigmoid", Versions: []int{1}, Infer: op.LikeFirst},
	{Domain: op.DomainMicrosoft, Name: "QLinearSoftmax", Versions: []int{1}, Infer: qLinearSoftmax},
	{Domain: op.DomainMicrosoft, Name: "QLinearWhere", Versions: []int{1}, Infer: qLinearWhere},
	{Domain: op.DomainMicrosoft, Name: "ReduceSumInteger", Versions: []int{1}, Infer: reduceSumInteger, Effect: op.Reduces},
}

// setBroadcast sets output 0 to what the shapes broadcast to.
func setBroadcast(c *op.Call, d onnxgraph.DType, shapes ...tensor.Shape) error {
	c.Set(0, d, tensor.Shape{})
	shape, err := c.Broadcast(shapes...)
	c.Set(0, d, shape)
	return err
}

// qLinearBinary: the operands are inputs 0 and 3.
func qLinearBinary(c *op.Call) error {
	return setBroadcast(c, c.DType(0), c.Shape(0), c.Shape(3))
}

// mulInteger: the operands are inputs 0 and 2, the products INT32.
func mulInteger(c *op.Call) error {
	return setBroadcast(c, onnxgraph.Int32, c.Shape(0), c.Shape(2))
}

// qLinearWhere: condition, X and Y are inputs 0, 1 and 4.
func qLinearWhere(c *op.Call) error {
	return setBroadcast(c, c.DType(1), c.Shape(0), c.Shape(1), c.Shape(4))
}

func qLinearSoftmax(c *op.Call) error { return nn.LikeFirstAlong(c, c.Int("axis", -1)) }

// qLinearConcat: the tensors are inputs 2, 5, 8 and so on; the result has the
// type of Y_zero_point, input 1.
func qLinearConcat(c *op.Call) error {
	c.Set(0, c.DType(1), tensor.Shape{})
	if len(c.Inputs) < 5 || (len(c.Inputs)-2)%3 != 0 {
		return c.Errorf(op.CodeArity, "%d inputs after the zero point are not triples of tensor, scale and zero point", len(c.Inputs)-2)
	}
	shapes := make([]tensor.Shape, 0, (len(c.Inputs)-2)/3)
	for i := 2; i < len(c.Inputs); i += 3 {
		shapes = append(shapes, c.Shape(i))
	}
	shape, _, err := movement.ConcatShapes(c, shapes, c.Int("axis", 0))
	c.Set(0, c.DType(1), shape)
	return err
}

func qLinearReduceMean(c *op.Call) error { return setReduced(c, c.DType(0)) }

// reduceSumInteger: sums of UINT8 are UINT32, those of INT8 are INT32.
func reduceSumInteger(c *op.Call) error {
	d := onnxgraph.Undefined
	switch c.DType(0) {
	case onnxgraph.Int8:
		d = onnxgraph.Int32
	case onnxgraph.Uint8:
		d = onnxgraph.Uint32
	}
	return setReduced(c, d)
}

// setReduced sets output 0 to input 0 reduced over the attribute axes.
func setReduced(c *op.Call, d onnxgraph.DType) error {
	x := c.Shape(0)
	c.Set(0, d, tensor.Shape{})
	if !x.Ranked() {
		return nil
	}
	reduced, err := reduce.ReducedAxes(c, c.IntList("axes"), x.Rank(), false)
	if err != nil {
		return err
	}
	c.Set(0, d, reduce.ReducedShape(x, reduced, reduce.KeepDims(c)))
	return nil
}
