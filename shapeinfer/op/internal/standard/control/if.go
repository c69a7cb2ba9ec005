package control

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/tensor"
)

// If: https://onnx.ai/onnx/operators/onnx__If.html
// 11: the branches' shapes may differ; 13: sequences; 16: optionals; 19, 21,
// 23, 24, 25: more element types.
var ifOps = []op.Op{
	{Name: "If", Versions: []int{1, 11, 13, 16, 19, 21, 23, 24, 25}, Infer: ifElse, Effect: op.Moves},
}

func ifElse(c *op.Call) error {
	const taken, other = "then_branch", "else_branch"
	for _, attr := range []string{taken, other} {
		g := graph(c, attr)
		if g == nil {
			return c.Errorf(op.CodeAttribute, "the attribute %s is missing", attr)
		}
		if len(g.Outputs) != len(c.Outputs) {
			return c.Errorf(op.CodeSubgraph, "%s has %d outputs, the node has %d", attr, len(g.Outputs), len(c.Outputs))
		}
	}
	if err := branchesAgree(c, taken, other); err != nil {
		return err
	}
	if n, ok := c.Shape(0).Elements().Int(); ok && n != 1 {
		return c.Errorf(op.CodeShape, "the condition has %d elements", n)
	}
	if condition, ok := Truth(c, 0); ok {
		if condition {
			return ifKnown(c, taken, other)
		}
		return ifKnown(c, other, taken)
	}
	then, err := c.Engine.InferSubgraph(taken, nil)
	if err != nil {
		return err
	}
	otherwise, err := c.Engine.InferSubgraph(other, nil)
	if err != nil {
		return err
	}
	condition := c.Number(0) // an indicator: 1 where it holds
	for o := range c.Outputs {
		merged, ok := joinFacts(then[o], otherwise[o], func(axis int, a, b dim.Dim) dim.Dim {
			if condition.IsSymbolic() && !a.HasDataDependent() && !b.HasDataDependent() {
				if d := scalar.Choose(condition, a, b); d.IsKnown() {
					return d
				}
			}
			return eitherDim(c, o, axis, a, b)
		})
		if !ok {
			return c.Errorf(op.CodeType, "output %d is %s in one branch and %s in the other", o, then[o].Type, otherwise[o].Type)
		}
		if c.Outputs[o] = merged; merged.Type.IsTensor() && !merged.Type.Shape.Ranked() && then[o].Type.Shape.Ranked() && otherwise[o].Type.Shape.Ranked() {
			c.Unknown(o, "the branches give %s and %s", then[o].Type, otherwise[o].Type)
		}
	}
	return nil
}

// branchesAgree compares the element types that the branches declare for their
// outputs, so that a branch that never runs need not be inferred for it.
func branchesAgree(c *op.Call, taken, other string) error {
	a, b := graph(c, taken).Outputs, graph(c, other).Outputs
	for o := range a {
		if a[o].Type == nil || b[o].Type == nil {
			continue
		}
		x, y := withoutShape(typeOfProto(a[o].Type)), withoutShape(typeOfProto(b[o].Type))
		if _, ok := joinTypes(x, y, unknownDim); !ok {
			return c.Errorf(op.CodeType, "output %d is %s in one branch and %s in the other", o, x.Name(), y.Name())
		}
	}
	return nil
}

// graph returns the graph in an attribute, nil when it is not given.
func graph(c *op.Call, attr string) *onnxgraph.Graph {
	if a := c.Node.Attribute(attr); a != nil {
		return a.Graph
	}
	return nil
}

// Truth returns the only element of input slot i as a bool, where it is known.
func Truth(c *op.Call, i int) (value, ok bool) { return truthOfOnly(c.Value(i)) }

// truthOfOnly is the only element of a value as a bool, where it is known.
func truthOfOnly(v *tensor.Value) (value, ok bool) {
	if v == nil || len(v.Elems) != 1 {
		return false, false
	}
	zero, known := scalar.IsZero(v.Elems[0])
	return !zero, known
}

// ifKnown infers only the branch that is taken.
func ifKnown(c *op.Call, taken, other string) error {
	c.Engine.SkipSubgraph(other)
	facts, err := c.Engine.InferSubgraph(taken, nil)
	if err != nil {
		return err
	}
	copy(c.Outputs, facts)
	return nil
}

// eitherDim stands for a dim that is a on one way and b on the other.
func eitherDim(c *op.Call, o, axis int, a, b dim.Dim) dim.Dim {
	if !a.IsKnown() || !b.IsKnown() {
		return dim.Unknown()
	}
	lo := int64(0)
	if x, ok := a.Lower(); ok {
		if y, ok := b.Lower(); ok {
			lo = min(x, y)
		}
	}
	return c.NewSymbol(o, axis, lo, dim.Max(a, b))
}

// factOf is what is known of input slot i, its elements included.
func factOf(c *op.Call, i int) tensor.Fact {
	if !c.Has(i) {
		return tensor.Fact{}
	}
	fact := *c.Inputs[i]
	if fact.Value == nil && fact.Type.IsTensor() {
		if _, _, ok := tensor.Fits(fact.Type.DType, fact.Type.Shape); ok {
			fact.Value = c.Value(i)
		}
	}
	return fact
}
