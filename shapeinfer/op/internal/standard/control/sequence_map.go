package control

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// SequenceMap: https://onnx.ai/onnx/operators/onnx__SequenceMap.html
// It has not changed.
var sequenceMapOps = []op.Op{
	{Name: "SequenceMap", Versions: []int{17}, Infer: sequenceMap, Effect: op.Moves},
}

// sequenceMap applies its body to the elements of sequences at one place after
// another; inputs that are no sequences go in as they are.
func sequenceMap(c *op.Call) error {
	body := graph(c, "body")
	if body == nil {
		return c.Errorf(op.CodeAttribute, "the attribute body is missing")
	}
	if n := c.Engine.SubgraphInputs("body"); n != len(c.Inputs) || len(body.Outputs) < len(c.Outputs) {
		return c.Errorf(op.CodeSubgraph, "the body has %d inputs and %d outputs, the node %d and %d", n, len(body.Outputs), len(c.Inputs), len(c.Outputs))
	}
	if _, err := elemType(c, 0); err != nil {
		return err
	}
	count := -1
	for i := range c.Inputs {
		items := c.In(i).Items
		switch {
		case items == nil:
		case count >= 0 && count != len(items):
			return c.Errorf(op.CodeShape, "the sequences have %d and %d elements", count, len(items))
		default:
			count = len(items)
		}
	}
	if count > 0 && count*countNodes(body) <= maxUnrolledNodes && !evenItems(c) {
		return mapEach(c, count)
	}
	outs, err := c.Engine.InferSubgraph("body", mapInputs(c, -1))
	if err != nil {
		return err
	}
	for o := range c.Outputs {
		elem := evenDims(c, outs[o].Type)
		c.Outputs[o] = tensor.Fact{Type: tensor.SequenceOf(elem)}
		if count >= 0 {
			c.Outputs[o].Items = repeatedType(elem, dim.Int(int64(count)))
		}
	}
	return nil
}

// evenItems reports whether the elements of each sequence are all the same.
func evenItems(c *op.Call) bool {
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
func mapInputs(c *op.Call, place int) []tensor.Fact {
	inputs := make([]tensor.Fact, len(c.Inputs))
	for i := range inputs {
		fact := factOf(c, i)
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
func mapEach(c *op.Call, count int) error {
	items := make([][]tensor.Type, len(c.Outputs))
	for place := range count {
		outs, err := c.Engine.InferSubgraph("body", mapInputs(c, place))
		if err != nil {
			return err
		}
		for o := range items {
			items[o] = append(items[o], evenDims(c, outs[o].Type))
		}
	}
	for o, list := range items {
		elem := list[0]
		for _, t := range list[1:] {
			var ok bool
			if elem, ok = joinTypes(elem, t, unknownDim); !ok {
				return c.Errorf(op.CodeType, "elements %s and %s of a sequence must have one type", elem, t)
			}
		}
		c.Outputs[o] = tensor.Fact{Type: tensor.SequenceOf(elem), Items: list}
	}
	return nil
}

// evenDims forgets the dims that were made inside the body: they differ from
// element to element.
func evenDims(c *op.Call, t tensor.Type) tensor.Type {
	t.Shape = t.Shape.Map(func(_ int, d dim.Dim) dim.Dim {
		if c.Engine.DefinedIn("body", d) {
			return dim.Unknown()
		}
		return d
	})
	return t
}
