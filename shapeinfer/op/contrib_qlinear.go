package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the elementwise and reducing operators of com.microsoft on
// quantised tensors, each followed by its scale and zero point
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribQLinearOps = []Op{
	{Domain: DomainMicrosoft, Name: "MulInteger", Versions: []int{1}, Infer: mulInteger},
	{Domain: DomainMicrosoft, Name: "QLinearAdd", Versions: []int{1}, Infer: qLinearBinary},
	{Domain: DomainMicrosoft, Name: "QLinearConcat", Versions: []int{1}, Infer: qLinearConcat},
	{Domain: DomainMicrosoft, Name: "QLinearLeakyRelu", Versions: []int{1}, Infer: likeFirst},
	{Domain: DomainMicrosoft, Name: "QLinearMul", Versions: []int{1}, Infer: qLinearBinary},
	{Domain: DomainMicrosoft, Name: "QLinearReduceMean", Versions: []int{1}, Infer: qLinearReduceMean},
	{Domain: DomainMicrosoft, Name: "QLinearSigmoid", Versions: []int{1}, Infer: likeFirst},
	{Domain: DomainMicrosoft, Name: "QLinearSoftmax", Versions: []int{1}, Infer: qLinearSoftmax},
	{Domain: DomainMicrosoft, Name: "QLinearWhere", Versions: []int{1}, Infer: qLinearWhere},
	{Domain: DomainMicrosoft, Name: "ReduceSumInteger", Versions: []int{1}, Infer: reduceSumInteger},
}

// setBroadcast sets output 0 to what the shapes broadcast to.
func (c *Call) setBroadcast(d onnxgraph.DType, shapes ...tensor.Shape) error {
	c.Set(0, d, tensor.Shape{})
	shape, err := c.Broadcast(shapes...)
	c.Set(0, d, shape)
	return err
}

// qLinearBinary: the operands are inputs 0 and 3.
func qLinearBinary(c *Call) error {
	return c.setBroadcast(c.DType(0), c.Shape(0), c.Shape(3))
}

// mulInteger: the operands are inputs 0 and 2, the products INT32.
func mulInteger(c *Call) error {
	return c.setBroadcast(onnxgraph.Int32, c.Shape(0), c.Shape(2))
}

// qLinearWhere: condition, X and Y are inputs 0, 1 and 4.
func qLinearWhere(c *Call) error {
	return c.setBroadcast(c.DType(1), c.Shape(0), c.Shape(1), c.Shape(4))
}

func qLinearSoftmax(c *Call) error { return likeFirstAlong(c, c.Int("axis", -1)) }

// qLinearConcat: the tensors are inputs 2, 5, 8 and so on; the result has the
// type of Y_zero_point, input 1.
func qLinearConcat(c *Call) error {
	c.Set(0, c.DType(1), tensor.Shape{})
	if len(c.Inputs) < 5 || (len(c.Inputs)-2)%3 != 0 {
		return c.Errorf(CodeArity, "%d inputs after the zero point are no triples of tensor, scale and zero point", len(c.Inputs)-2)
	}
	shapes := make([]tensor.Shape, 0, (len(c.Inputs)-2)/3)
	for i := 2; i < len(c.Inputs); i += 3 {
		shapes = append(shapes, c.Shape(i))
	}
	shape, _, err := c.concatShapes(shapes, c.Int("axis", 0))
	c.Set(0, c.DType(1), shape)
	return err
}

func qLinearReduceMean(c *Call) error { return c.setReduced(c.DType(0)) }

// reduceSumInteger: sums of UINT8 are UINT32, those of INT8 are INT32.
func reduceSumInteger(c *Call) error {
	d := onnxgraph.Undefined
	switch c.DType(0) {
	case onnxgraph.Int8:
		d = onnxgraph.Int32
	case onnxgraph.Uint8:
		d = onnxgraph.Uint32
	}
	return c.setReduced(d)
}

// setReduced sets output 0 to input 0 reduced over the attribute axes.
func (c *Call) setReduced(d onnxgraph.DType) error {
	x := c.Shape(0)
	c.Set(0, d, tensor.Shape{})
	if !x.Ranked() {
		return nil
	}
	reduced, err := c.reducedAxes(c.IntList("axes"), x.Rank(), false)
	if err != nil {
		return err
	}
	c.Set(0, d, reducedShape(x, reduced, c.keepDims()))
	return nil
}
