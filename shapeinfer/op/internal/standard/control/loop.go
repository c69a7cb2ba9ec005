package control

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// Loop: https://onnx.ai/onnx/operators/onnx__Loop.html
// 11: scalars for the trip count and condition; 13: sequences as state; 16:
// optionals; 19, 21, 23, 24, 25: more element types.
var loopOps = []op.Op{
	{Name: "Loop", Versions: []int{1, 11, 13, 16, 19, 21, 23, 24, 25}, Infer: loop, Effect: op.Moves},
}

// loop runs its body(iteration, condition, states...) -> (condition, states...,
// scan elements...) until the trip count is reached or the condition is false.
func loop(c *op.Call) error {
	l := loopCall{c: c, body: graph(c, "body"), n: max(len(c.Inputs)-2, 0)}
	if err := l.check(); err != nil {
		return err
	}
	if err := l.findFixpoint(); err != nil {
		return err
	}
	if !l.exact() && l.mayUnroll() {
		done, err := l.unroll()
		if err != nil || done {
			return err
		}
		// The body's last inference must be that of any iteration.
		if err := l.findFixpoint(); err != nil {
			return err
		}
	}
	l.finish()
	if l.never() {
		c.Engine.SkipSubgraph("body")
	}
	return nil
}

// A loopCall is a Loop under inference.
type loopCall struct {
	c     *op.Call
	body  *onnxgraph.Graph
	n     int // states
	state *carried
	outs  []tensor.Fact // of the body, in any iteration
}

func (l *loopCall) check() error {
	c := l.c
	if l.body == nil {
		return c.Errorf(op.CodeAttribute, "the attribute body is missing")
	}
	if n := c.Engine.SubgraphInputs("body"); n != 2+l.n {
		return c.Errorf(op.CodeSubgraph, "the body takes %d inputs; the iteration number, the condition and %d states are %d", n, l.n, l.n+2)
	}
	if len(l.body.Outputs) < 1+l.n || len(l.body.Outputs)-1 < len(c.Outputs) {
		return c.Errorf(op.CodeSubgraph, "the body gives %d outputs for a condition, %d states and %d outputs of the node", len(l.body.Outputs), l.n, len(c.Outputs))
	}
	for i, what := range []string{"trip count", "condition"} {
		if n, ok := c.Shape(i).Elements().Int(); ok && n != 1 && c.Has(i) {
			return c.Errorf(op.CodeShape, "the %s has %d elements", what, n)
		}
	}
	return nil
}

// initial are the states before the first iteration.
func (l *loopCall) initial() []tensor.Fact {
	states := make([]tensor.Fact, l.n)
	for i := range states {
		states[i] = factOf(l.c, 2+i)
	}
	return states
}

// iterate infers the body once.
func (l *loopCall) iterate(number tensor.Scalar, states []tensor.Fact) ([]tensor.Fact, error) {
	inputs := make([]tensor.Fact, 0, 2+l.n)
	inputs = append(inputs, declaredScalar(l.body, 0, onnxgraph.Int64, number))
	// While the body runs the condition holds.
	inputs = append(inputs, declaredScalar(l.body, 1, onnxgraph.Bool, tensor.Bool(true)))
	return l.c.Engine.InferSubgraph("body", append(inputs, states...))
}

// findFixpoint finds what holds of the states in every iteration.
func (l *loopCall) findFixpoint() error {
	l.state = carry(l.c, l.initial())
	for {
		outs, err := l.iterate(tensor.Scalar{}, l.state.states)
		if err != nil {
			return err
		}
		l.outs = outs
		if changed, err := l.state.widen(outs[1 : 1+l.n]); !changed || err != nil {
			return err
		}
	}
}

// never reports whether the body provably does not run.
func (l *loopCall) never() bool {
	if condition, ok := Truth(l.c, 1); ok && !condition {
		return true
	}
	most, ok := l.most().Int()
	return ok && most <= 0
}

// atLeastOnce reports whether the body provably runs.
func (l *loopCall) atLeastOnce() bool {
	condition, ok := Truth(l.c, 1)
	return (!l.c.Has(1) || ok && condition) && (!l.c.Has(0) || op.IsPositive(l.most()))
}

// most is the trip count M, unknown where there is none.
func (l *loopCall) most() dim.Dim {
	if !l.c.Has(0) {
		return dim.Unknown()
	}
	return l.c.Number(0)
}

// continues returns the condition that an iteration leaves, where it is known.
func continues(outs []tensor.Fact) (goesOn, ok bool) { return truthOfOnly(outs[0].Value) }

// tripCount is the number of iterations, as output o of the node.
func (l *loopCall) tripCount(o int) dim.Dim {
	most := dim.Max(l.most(), dim.Int(0))
	again, known := continues(l.outs)
	switch {
	case l.never():
		return dim.Int(0)
	case known && again && !l.conditional() && most.IsKnown():
		return most
	case known && !again && l.atLeastOnce():
		return dim.Int(1)
	}
	lo, upper := int64(0), most
	if known && !again {
		upper = dim.Int(1)
	}
	if l.atLeastOnce() {
		lo = 1
	}
	return l.c.NewSymbol(o, 0, lo, upper)
}

// conditional reports whether the condition may be false at the start.
func (l *loopCall) conditional() bool {
	condition, ok := Truth(l.c, 1)
	return l.c.Has(1) && !(ok && condition)
}

// finish sets the node's outputs from what holds in every iteration.
func (l *loopCall) finish() {
	c := l.c
	first := l.initial()
	once, never := l.atLeastOnce(), l.never()
	for o := range min(l.n, len(c.Outputs)) {
		last := l.state.afterLoop(o, 0, l.outs[1+o])
		switch {
		case never:
			last = first[o]
		case !once:
			if t := first[o].Type; t.Kind == onnxgraph.KindOptional && last.Type.Kind != t.Kind && t.Elem != nil {
				first[o].Type = *t.Elem // the body decides the output's kind
			}
			last, _ = joinFacts(first[o], last, func(axis int, a, b dim.Dim) dim.Dim { return eitherDim(c, o, axis, a, b) })
		}
		c.Outputs[o] = last
	}
	if len(c.Outputs) <= l.n {
		return
	}
	trips := l.tripCount(l.n)
	for o := l.n; o < len(c.Outputs); o++ {
		element := l.state.afterLoop(o, 1, l.outs[1+o])
		c.Outputs[o] = tensor.Fact{Type: stacked(element.Type, 0, trips), Reason: element.Reason}
	}
}

// stacked is the type of elements joined along a new axis.
func stacked(t tensor.Type, axis int, count dim.Dim) tensor.Type {
	if !t.IsTensor() || !t.Shape.Ranked() {
		t.Kind = onnxgraph.KindTensor
		return t
	}
	dims := make([]dim.Dim, 0, t.Shape.Rank()+1)
	dims = append(dims, t.Shape.Dims()[:axis]...)
	dims = append(dims, count)
	t.Shape = tensor.MakeShape(append(dims, t.Shape.Dims()[axis:]...)...)
	return t
}
