package ort

import (
	"fmt"
	"slices"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/op"
)

// This file follows the operators that run a language model token by token
// (onnxruntime/contrib_ops/cpu/transformers), as far as to a lower limit.

// beamsInput is the input that gives the number of beams; 0 where there are
// none.
var beamsInput = map[op.ID]int{
	{Domain: op.DomainMicrosoft, Name: "BeamSearch"}:        3,
	{Domain: op.DomainMicrosoft, Name: "WhisperBeamSearch"}: 3,
	{Domain: op.DomainMicrosoft, Name: "GreedySearch"}:      0,
	{Domain: op.DomainMicrosoft, Name: "Sampling"}:          0,
}

// A generation is the sizes of one step of the decoder.
type generation struct {
	rows   int64 // sequences: batch x beams
	prompt int64 // tokens of what is given
	past   int64 // tokens that the caches hold
}

// generate runs the last step of the decoder, in which the caches are longest,
// on batch x beams sequences: the caches that it reads and writes are there at
// the same time. What the operator itself holds for its search is not known,
// nor are the encoder's results, so the number is a lower limit.
func (f *runFrame) generate(i int32, n *onnxgraph.Node) bool {
	beams, ok := beamsInput[op.IDOf(n)]
	if !ok {
		return false
	}
	for slot := range f.full.Graph.NodeOutputs(i) {
		f.allocate(i, slot)
	}
	f.r.lowerLimit(fmt.Sprintf("what %s holds for its search is not followed, only its decoder's last step", n.OpType))
	step, ok := f.lastStep(i, beams)
	if !ok {
		return true
	}
	for k, body := range f.full.Nodes[i].Subgraphs {
		if body != nil && f.full.Graph.Subgraphs(i)[k].Attr == "decoder" {
			f.decode(i, k, step)
		}
	}
	return true
}

// decode runs the decoder as a graph of its own, with the sizes of a step as
// those of its inputs.
func (f *runFrame) decode(i int32, k int, step generation) {
	body := f.full.Graph.Subgraphs(i)[k]
	planned := f.standalone(body, func(v *onnxgraph.ValueInfo) *onnxgraph.ValueInfo { return v })
	sized := f.standalone(body, step.sized)
	known, err := shapeinfer.InferProgram(onnxgraph.Resolve(planned), shapeinfer.Options{Policy: loadPolicy{}})
	if err != nil {
		return
	}
	full, err := shapeinfer.InferProgram(onnxgraph.Resolve(sized), shapeinfer.Options{})
	if err != nil {
		return
	}
	frame := f.r.frame(full.Main, known.Main, "", nil, f.bodyPath(i, k))
	var given memory.Size
	for _, id := range full.Main.Graph.Inputs[:min(len(body.Inputs), len(full.Main.Graph.Inputs))] {
		given = given.Add(frame.sizeOf(id))
	}
	f.r.now.Add(given)
	frame.run()
	frame.freeAll()
	f.r.now.Remove(given)
}

// standalone is a model of one body. What it reads of the graphs around it
// becomes a weight or an input.
func (f *runFrame) standalone(body *onnxgraph.Scope, input func(*onnxgraph.ValueInfo) *onnxgraph.ValueInfo) *onnxgraph.Model {
	g := *body.Graph
	g.Inputs, g.Initializers = nil, slices.Clone(g.Initializers)
	for _, v := range body.Graph.Inputs {
		g.Inputs = append(g.Inputs, input(v))
	}
	for id := range body.Values {
		v := &body.Values[id]
		if v.Origin != onnxgraph.OuterScope || v.Outer == onnxgraph.NoValue {
			continue
		}
		if t := body.Parent.Values[v.Outer].Tensor; t != nil {
			g.Initializers = append(g.Initializers, t)
		} else if t := &f.full.Facts[v.Outer].Type; t.IsTensor() {
			g.Inputs = append(g.Inputs, &onnxgraph.ValueInfo{Name: v.Name, Type: declaration(t)})
		}
	}
	m := *f.r.model
	m.Graph = &g
	return &m
}

// lastStep is the step that makes the last token; ok is false where the sizes
// are not known.
func (f *runFrame) lastStep(i int32, beams int) (step generation, ok bool) {
	ins, outs := f.full.Graph.NodeInputs(i), f.full.Graph.NodeOutputs(i)
	if len(ins) == 0 || ins[0] == onnxgraph.NoValue || len(outs) == 0 || outs[0] == onnxgraph.NoValue {
		return step, false
	}
	given := f.full.Facts[ins[0]].Type.Shape
	rows, known := given.At(0).Int()
	length, ok := f.full.Facts[outs[0]].Type.Shape.At(-1).Int()
	if !known || !ok {
		return step, false
	}
	if beams > 0 {
		if beams >= len(ins) || ins[beams] == onnxgraph.NoValue {
			return step, false
		}
		v := f.full.Facts[ins[beams]].Value
		if v == nil || len(v.Elems) != 1 {
			return step, false
		}
		n, known := v.Elems[0].Int64()
		if !known || n < 1 {
			return step, false
		}
		rows = memory.MulBytes(rows, n)
	}
	prompt, _ := given.At(1).Int()
	return generation{rows: rows, prompt: prompt, past: max(length-2, 0)}, true
}

// sized gives an input of the decoder the size that it has in a step.
func (g generation) sized(v *onnxgraph.ValueInfo) *onnxgraph.ValueInfo {
	if v.Type == nil || v.Type.Shape == nil {
		return v
	}
	length := int64(1)
	switch {
	case strings.HasPrefix(v.Name, "encoder") || strings.Contains(v.Name, "cross"):
		length = g.prompt
	case strings.HasPrefix(v.Name, "past"):
		length = g.past
	case v.Name == "attention_mask":
		length = g.past + 1
	}
	dims := slices.Clone(v.Type.Shape.Dims)
	set := func(axis int, n int64) { dims[axis] = onnxgraph.Dim{Value: n, HasValue: true} }
	switch len(dims) {
	case 2, 3:
		set(0, g.rows)
		set(1, length)
	case 4: // batch, heads, tokens, size of a head
		set(0, g.rows)
		set(2, length)
	case 5: // keys and values, batch, heads, tokens, size of a head
		set(1, g.rows)
		set(3, length)
	}
	t := *v.Type
	t.Shape = &onnxgraph.Shape{Dims: dims}
	return &onnxgraph.ValueInfo{Name: v.Name, Type: &t}
}
