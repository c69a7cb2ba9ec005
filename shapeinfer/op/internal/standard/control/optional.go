package control

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/movement"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators on values that may be absent.
//
// Optional: https://onnx.ai/onnx/operators/onnx__Optional.html
// 28: more element types.
//
// OptionalGetElement: https://onnx.ai/onnx/operators/onnx__OptionalGetElement.html
// 18: tensors and sequences pass; 28: more element types.
//
// OptionalHasElement: https://onnx.ai/onnx/operators/onnx__OptionalHasElement.html
// 18: tensors and sequences pass, and the input may be missing; 28: more
// element types.
var optionalOps = []op.Op{
	{Name: "Optional", Versions: []int{15, 28}, Infer: optional, Effect: op.Moves},
	{Name: "OptionalGetElement", Versions: []int{15, 18, 28}, Infer: optionalGetElement, Effect: op.Moves},
	{Name: "OptionalHasElement", Versions: []int{15, 18, 28}, Infer: optionalHasElement, Effect: op.Moves},
}

func optional(c *op.Call) error {
	if c.Has(0) {
		c.SetType(0, tensor.OptionalOf(c.Type(0)))
		return nil
	}
	a := c.Node.Attribute("type")
	if a == nil || a.TypeProto == nil {
		return c.Errorf(op.CodeAttribute, "one of the input and the attribute type must be given")
	}
	c.SetType(0, tensor.OptionalOf(typeOfProto(a.TypeProto)))
	return nil
}

// typeOfProto is a type in an attribute. Its named dims are unknown: the type
// says what an absent element would be.
func typeOfProto(p *onnxgraph.Type) tensor.Type {
	t := tensor.Type{Kind: p.Kind, DType: p.DType, Key: p.Key}
	if !t.DType.Valid() {
		t.DType = onnxgraph.Undefined
	}
	if p.Elem != nil {
		elem := typeOfProto(p.Elem)
		t.Elem = &elem
	}
	if p.Shape != nil {
		dims := make([]dim.Dim, len(p.Shape.Dims))
		for i, d := range p.Shape.Dims {
			if d.HasValue && d.Value >= 0 {
				dims[i] = dim.Int(d.Value)
			}
		}
		t.Shape = tensor.MakeShape(dims...)
	}
	return t
}

func optionalGetElement(c *op.Call) error {
	t := c.Type(0)
	if t.Kind != onnxgraph.KindOptional {
		if c.Since < 18 && t.Kind != onnxgraph.KindUnset {
			return c.Errorf(op.CodeType, "the input is not an optional: %s", t)
		}
		return movement.Identity(c)
	}
	if t.Elem != nil {
		c.SetType(0, *t.Elem)
	}
	return nil
}

func optionalHasElement(c *op.Call) error {
	c.Set(0, onnxgraph.Bool, tensor.ScalarShape())
	known := func(has bool) { c.SetValue(0, tensor.ScalarOf(onnxgraph.Bool, tensor.Bool(has))) }
	switch t := c.Type(0); {
	case !c.Has(0):
		if c.Since < 18 {
			return c.Errorf(op.CodeArity, "the input is missing")
		}
		known(false)
	case t.Kind == onnxgraph.KindOptional || t.Kind == onnxgraph.KindUnset:
	case c.Since < 18:
		return c.Errorf(op.CodeType, "the input is not an optional: %s", t)
	default:
		known(true)
	}
	return nil
}
