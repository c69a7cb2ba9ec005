package generate

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// Constant: https://onnx.ai/onnx/operators/onnx__Constant.html
// 1: value, a tensor of floats; 9: of any type; 11: sparse_value; 12: value_int,
// value_ints, value_float, value_floats, value_string, value_strings; 13, 19,
// 21, 23, 24, 25: more element types.
var constantOps = []op.Op{
	{Name: "Constant", Versions: []int{1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, Infer: constant, Effect: op.Moves},
}

// constant expects exactly one attribute that holds the value.
func constant(c *op.Call) error {
	var value *onnxgraph.Attribute
	for _, a := range c.Node.Attributes {
		since := constantForm(a.Name)
		if since == 0 || c.Since < since {
			continue
		}
		if value != nil {
			return c.Errorf(op.CodeAttribute, "both %s and %s give the value", value.Name, a.Name)
		}
		value = a
	}
	if value == nil {
		return c.Errorf(op.CodeAttribute, "no attribute gives the value")
	}
	return constantOf(c, value)
}

// constantForm is the version that brought an attribute for the value; 0 for
// other attributes.
func constantForm(name string) int {
	switch name {
	case "value":
		return 1
	case "sparse_value":
		return 11
	case "value_int", "value_ints", "value_float", "value_floats", "value_string", "value_strings":
		return 12
	}
	return 0
}

func constantOf(c *op.Call, a *onnxgraph.Attribute) error {
	switch a.Name {
	case "value":
		return constantTensor(c, a.Tensor)
	case "sparse_value":
		return constantSparse(c, a.SparseTensor)
	case "value_int":
		c.SetValue(0, tensor.ScalarOf(onnxgraph.Int64, tensor.Int(a.Int)))
	case "value_float":
		c.SetValue(0, tensor.ScalarOf(onnxgraph.Float, tensor.Float(float64(a.Float))))
	case "value_string":
		c.SetValue(0, tensor.ScalarOf(onnxgraph.String, tensor.Text(a.String)))
	case "value_ints":
		setVector(c, onnxgraph.Int64, len(a.Ints), func(i int) tensor.Scalar { return tensor.Int(a.Ints[i]) })
	case "value_floats":
		setVector(c, onnxgraph.Float, len(a.Floats), func(i int) tensor.Scalar { return tensor.Float(float64(a.Floats[i])) })
	case "value_strings":
		setVector(c, onnxgraph.String, len(a.Strings), func(i int) tensor.Scalar { return tensor.Text(a.Strings[i]) })
	}
	return nil
}

func constantTensor(c *op.Call, t *onnxgraph.Tensor) error {
	if t == nil {
		return c.Errorf(op.CodeAttribute, "attribute value holds no tensor")
	}
	s, err := storedShape(c, t.Dims)
	if err != nil {
		return err
	}
	c.Set(0, t.DType, s)
	if _, _, ok := tensor.Fits(t.DType, s); !ok {
		return nil
	}
	if v := c.Engine.TensorValue(t); v != nil {
		c.SetValue(0, v)
	}
	return nil
}

// constantSparse sets output 0 to the dense tensor that a sparse one stands
// for.
func constantSparse(c *op.Call, t *onnxgraph.SparseTensor) error {
	if t == nil || t.Values == nil {
		return c.Errorf(op.CodeAttribute, "attribute sparse_value holds no tensor")
	}
	s, err := storedShape(c, t.Dims)
	if err != nil {
		return err
	}
	c.Set(0, t.Values.DType, s)
	return nil
}

func storedShape(c *op.Call, dims []int64) (tensor.Shape, error) {
	for _, n := range dims {
		if n < 0 {
			return tensor.Shape{}, c.Errorf(op.CodeShape, "the tensor has a dim of %d", n)
		}
	}
	return tensor.IntShape(dims...), nil
}

// setVector sets output 0 to a vector of n known elements.
func setVector(c *op.Call, d onnxgraph.DType, n int, at func(i int) tensor.Scalar) {
	s := tensor.MakeShape(dim.Int(int64(n)))
	c.Set(0, d, s)
	dims, _, ok := tensor.Fits(d, s)
	if !ok {
		return
	}
	v := &tensor.Value{DType: d, Dims: dims, Elems: make([]tensor.Scalar, n)}
	for i := range v.Elems {
		v.Elems[i] = at(i)
	}
	c.SetValue(0, v)
}
