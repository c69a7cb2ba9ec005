package ort

import (
	"slices"

	"onnxmem/onnxgraph"
)

// sequenceBodies are operators on sequences.
func sequenceBodies() []functionBody {
	return []functionBody{{name: "SequenceMap", since: 17, build: sequenceMap}}
}

// sequenceMap is a Loop over the first sequence, in which the body of the call
// stands between the nodes that take the elements out and put the results in.
func sequenceMap(c *bodyCall) *onnxgraph.Function {
	attr := c.node.Attribute("body")
	if attr == nil || attr.Graph == nil {
		return nil
	}
	body := attr.Graph
	if len(body.Inputs) != len(c.node.Inputs) || len(body.Outputs) != len(c.node.Outputs) || len(c.node.Inputs) == 0 {
		return nil
	}
	const turn, condition = "SequenceMap_itercount", "SequenceMap_cond"
	f := &onnxgraph.Function{Name: "SequenceMap"}
	loop := &onnxgraph.Graph{
		Name:               "SequenceMap_loop_body",
		Inputs:             []*onnxgraph.ValueInfo{scalarInfo(turn, onnxgraph.Int64), scalarInfo(condition, onnxgraph.Bool)},
		Outputs:            []*onnxgraph.ValueInfo{scalarInfo(condition+"_out", onnxgraph.Bool)},
		Nodes:              []*onnxgraph.Node{newNode("Identity", condition+"_out", condition)},
		Initializers:       body.Initializers,
		SparseInitializers: body.SparseInitializers,
		ValueInfos:         body.ValueInfos,
	}
	for i, in := range body.Inputs {
		arg := "arg" + in.Name
		f.Inputs = append(f.Inputs, arg)
		if c.kind(i) == onnxgraph.KindSequence {
			loop.Nodes = append(loop.Nodes, newNode("SequenceAt", in.Name, arg, turn))
		} else {
			loop.Nodes = append(loop.Nodes, newNode("Identity", in.Name, arg))
		}
	}
	loop.Nodes = slices.Concat(loop.Nodes, body.Nodes)
	f.Nodes = []*onnxgraph.Node{
		newNode("SequenceLength", "seqlen", f.Inputs[0]),
		{OpType: "Constant", Outputs: []string{"cond"}, Attributes: []*onnxgraph.Attribute{tensorValue(onnxgraph.Bool, []byte{1})}},
	}
	run := newNode("Loop", "", "seqlen", "cond")
	run.Outputs = nil
	for _, out := range body.Outputs {
		before, after, result := "SequenceMap_"+out.Name+"_in", "SequenceMap_"+out.Name+"_out", "result"+out.Name
		loop.Inputs = append(loop.Inputs, sequenceInfo(before, out.Type))
		loop.Outputs = append(loop.Outputs, sequenceInfo(after, out.Type))
		loop.Nodes = append(loop.Nodes, newNode("SequenceInsert", after, before, out.Name))
		f.Nodes = append(f.Nodes, emptySequence(result+"_empty", out.Type))
		f.Outputs = append(f.Outputs, result)
		run.Inputs, run.Outputs = append(run.Inputs, result+"_empty"), append(run.Outputs, result)
	}
	run.Attributes = []*onnxgraph.Attribute{{Name: "body", Type: onnxgraph.AttributeGraph, Graph: loop}}
	f.Nodes = append(f.Nodes, run)
	return f
}

func newNode(op, output string, inputs ...string) *onnxgraph.Node {
	return &onnxgraph.Node{OpType: op, Inputs: inputs, Outputs: []string{output}}
}

func emptySequence(name string, elem *onnxgraph.Type) *onnxgraph.Node {
	n := newNode("SequenceEmpty", name)
	if elem != nil {
		n.Attributes = []*onnxgraph.Attribute{{Name: "dtype", Type: onnxgraph.AttributeInt, Int: int64(elem.DType)}}
	}
	return n
}

func scalarInfo(name string, d onnxgraph.DType) *onnxgraph.ValueInfo {
	return &onnxgraph.ValueInfo{Name: name, Type: &onnxgraph.Type{Kind: onnxgraph.KindTensor, DType: d, Shape: &onnxgraph.Shape{}}}
}

func sequenceInfo(name string, elem *onnxgraph.Type) *onnxgraph.ValueInfo {
	if elem == nil {
		return &onnxgraph.ValueInfo{Name: name}
	}
	return &onnxgraph.ValueInfo{Name: name, Type: &onnxgraph.Type{Kind: onnxgraph.KindSequence, Elem: elem}}
}
