package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// SequenceMap: https://onnx.ai/onnx/operators/onnx__SequenceMap.html
// It has not changed.
var sequenceMapOps = []Op{
	{Name: "SequenceMap", Versions: []int{17}, Infer: sequenceMap},
}

// sequenceMap applies its body to the elements of sequences at one place after
// another; inputs that are no sequences go in as they are.
func sequenceMap(c *Call) error {
	body := c.graph("body")
	if body == nil {
		return c.Errorf(CodeAttribute, "the attribute body is missing")
	}
	if n := c.Engine.BodyInputs("body"); n != len(c.Inputs) || len(body.Outputs) < len(c.Outputs) {
		return c.Errorf(CodeBody, "the body has %d inputs and %d outputs, the node %d and %d", n, len(body.Outputs), len(c.Inputs), len(c.Outputs))
	}
	if _, err := c.elemType(0); err != nil {
		return err
	}
	count := -1
	for i := range c.Inputs {
		items := c.In(i).Items
		switch {
		case items == nil:
		case count >= 0 && count != len(items):
			return c.Errorf(CodeShape, "the sequences have %d and %d elements", count, len(items))
		default:
			count = len(items)
		}
	}
	if count > 0 && count*countNodes(body) <= maxUnrolledNodes && !c.evenItems() {
		return c.mapEach(count)
	}
	outs, err := c.Engine.InferBody("body", c.mapInputs(-1))
	if err != nil {
		return err
	}
	for o := range c.Outputs {
		elem := c.evenDims(outs[o].Type)
		c.Outputs[o] = tensor.Fact{Type: tensor.SequenceOf(elem)}
		if count >= 0 {
			c.Outputs[o].Items = repeatedType(elem, dim.Int(int64(count)))
		}
	}
	return nil
}

// evenItems reports whether the elements of each sequence are all the same.
func (c *Call) evenItems() bool {
	for i := range c.Inputs {
		items := c.In(i).Items
		for _, t := range items {
			if !sameType(t, items[0]) {
				return false
			}
		}
	}
	return true
}

// mapInputs are the body's inputs at a place of the sequences; a negative one
// stands for any place.
func (c *Call) mapInputs(place int) []tensor.Fact {
	inputs := make([]tensor.Fact, len(c.Inputs))
	for i := range inputs {
		fact := c.factOf(i)
		switch {
		case fact.Type.Kind != onnxgraph.KindSequence:
			inputs[i] = fact
		case place >= 0 && place < len(fact.Items):
			inputs[i].Type = fact.Items[place]
		case fact.Type.Elem != nil:
			inputs[i].Type = *fact.Type.Elem
		}
	}
	return inputs
}

// mapEach infers the body once for each element.
func (c *Call) mapEach(count int) error {
	items := make([][]tensor.Type, len(c.Outputs))
	for place := range count {
		outs, err := c.Engine.InferBody("body", c.mapInputs(place))
		if err != nil {
			return err
		}
		for o := range items {
			items[o] = append(items[o], c.evenDims(outs[o].Type))
		}
	}
	for o, list := range items {
		elem := list[0]
		for _, t := range list[1:] {
			var ok bool
			if elem, ok = unionType(elem, t, unknownDim); !ok {
				return c.Errorf(CodeType, "elements %s and %s of a sequence must have one type", elem, t)
			}
		}
		c.Outputs[o] = tensor.Fact{Type: tensor.SequenceOf(elem), Items: list}
	}
	return nil
}

// evenDims forgets the dims that were born inside the body: they differ from
// element to element.
func (c *Call) evenDims(t tensor.Type) tensor.Type {
	t.Shape = t.Shape.Map(func(_ int, d dim.Dim) dim.Dim {
		if c.Engine.BornInside("body", d) {
			return dim.Unknown()
		}
		return d
	})
	return t
}
