package catalogue_test

import (
	"fmt"
	"math/rand"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/shapeinfer/tensor"
)

// TestRandomCalls gives every operator inputs and attributes of any kind, in
// any number. Whatever they are, the rule must not panic, elements must be as
// many as the type says, and what the entry says of the output's elements must
// hold.
func TestRandomCalls(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	seen := map[string]bool{}
	for _, o := range catalogue.New().Ops() {
		for range 100 {
			if fault := tryCall(o, randomCall(r, o)); fault != "" && !seen[fault] {
				seen[fault] = true
				t.Error(fault)
			}
		}
	}
}

func tryCall(o *op.Op, c *op.Call) (fault string) {
	defer func() {
		if e := recover(); e != nil {
			fault = fmt.Sprintf("%s.%s: %v", o.Domain, o.Name, e)
		}
	}()
	accepted := o.Infer(c) == nil // an error is as good as a result
	for i, out := range c.Outputs {
		if v := out.Value; v != nil && (!out.Type.Shape.Equal(v.Shape()) || out.Type.Shape.Elements() != dim.Int(int64(len(v.Elems)))) {
			return fmt.Sprintf("%s.%s: output %d is %s and has %d elements", o.Domain, o.Name, i, out.Type, len(v.Elems))
		}
	}
	if accepted && c.Has(0) {
		return factsHold(o, c)
	}
	return ""
}

// factsHold holds the output's shape against Op.Effect and Op.Elementwise.
func factsHold(o *op.Op, c *op.Call) (fault string) {
	in, out := c.Shape(0), c.Outputs[0].Type.Shape
	before, known := in.Elements().Int()
	after, known2 := out.Elements().Int()
	if !known || !known2 {
		return ""
	}
	if o.Effect == op.Keeps && before != after {
		return fmt.Sprintf("%s.%s makes %s of %s: it does not keep the elements", o.Domain, o.Name, out, in)
	}
	if o.Effect == op.Reduces && after > before && before > 0 && c.Outputs[0].Type.DType == c.DType(0) {
		return fmt.Sprintf("%s.%s makes %s of %s: it does not reduce", o.Domain, o.Name, out, in)
	}
	for _, x := range c.Inputs {
		if x == nil || !x.Type.Shape.Equal(in) {
			return ""
		}
	}
	if o.Elementwise && !out.Equal(in) {
		return fmt.Sprintf("%s.%s makes %s of inputs %s: it is not elementwise", o.Domain, o.Name, out, in)
	}
	return ""
}

func randomCall(r *rand.Rand, o *op.Op) *op.Call {
	n := &onnxgraph.Node{OpType: o.Name}
	c := &op.Call{Node: n, Op: o, Since: o.Versions[r.Intn(len(o.Versions))], Engine: idleEngine{}}
	for range 1 + r.Intn(3) {
		n.Outputs = append(n.Outputs, "y")
	}
	c.Outputs = make([]tensor.Fact, len(n.Outputs))
	for range r.Intn(6) {
		n.Inputs = append(n.Inputs, "x")
		c.Inputs = append(c.Inputs, randomFact(r))
	}
	for _, name := range []string{
		"axis", "axes", "keepdims", "noop_with_empty_axes", "k", "dtype", "shape", "broadcast", "to", "output_dtype",
		"block_size", "reduction", "fmod", "direction", "p", "sample_size", "select_last_index", "exclusive", "reverse",
		"min", "max", "value_ints", "value", "output_datatype", "perm", "pads", "strides", "dilations", "kernel_shape",
		"group", "auto_pad", "mode", "starts", "ends", "batch_dims", "equation", "hidden_size", "direction", "layout",
	} {
		if r.Intn(4) == 0 {
			n.Attributes = append(n.Attributes, &onnxgraph.Attribute{
				Name: name, Int: int64(r.Intn(12) - 4), Float: r.Float32(),
				Ints:   []int64{int64(r.Intn(7) - 3), 1, 2}[:r.Intn(4)],
				String: []string{"none", "LEFT", "RIGHT", "mean", "SAME_UPPER", "ij,jk->ik", "bidirectional"}[r.Intn(7)],
			})
		}
	}
	return c
}

func randomFact(r *rand.Rand) *tensor.Fact {
	d := onnxgraph.DType(r.Intn(int(onnxgraph.Float6E3M2) + 1))
	switch r.Intn(12) {
	case 0:
		return nil
	case 1:
		return &tensor.Fact{Type: tensor.Of(d, tensor.Shape{})}
	}
	dims := make([]dim.Dim, r.Intn(5))
	for i := range dims {
		switch r.Intn(6) {
		case 0:
			dims[i] = dim.Symbol("n")
		case 1: // unknown
		default:
			dims[i] = dim.Int(int64(r.Intn(4)))
		}
	}
	f := &tensor.Fact{Type: tensor.Of(d, tensor.MakeShape(dims...))}
	if sizes, n, ok := tensor.Fits(d, f.Type.Shape); ok && d != onnxgraph.Undefined && r.Intn(2) == 0 {
		f.Value = &tensor.Value{DType: d, Dims: sizes, Elems: make([]tensor.Scalar, n)}
		for i := range f.Value.Elems {
			f.Value.Elems[i] = randomScalar(r, d)
		}
	}
	return f
}

func randomScalar(r *rand.Rand, d onnxgraph.DType) tensor.Scalar {
	switch choice := r.Intn(6); {
	case choice == 0:
		return tensor.Scalar{}
	case d == onnxgraph.String:
		return tensor.Text("a b")
	case choice == 1 && d != onnxgraph.Bool:
		return tensor.Number(dim.Symbol("m"))
	case choice == 2 && d.IsFloat():
		return tensor.Float(r.NormFloat64())
	}
	return tensor.Int(int64(r.Intn(9) - 3))
}

// idleEngine is noEngine for operators that ask for more.
type idleEngine struct{ noEngine }

func (idleEngine) TensorValue(*onnxgraph.Tensor) *tensor.Value                { return nil }
func (idleEngine) InferSubgraph(string, []tensor.Fact) ([]tensor.Fact, error) { return nil, nil }
func (idleEngine) SubgraphInputs(string) int                                  { return 0 }
func (idleEngine) SkipSubgraph(string)                                        {}
func (idleEngine) Warn(string, string)                                        {}
