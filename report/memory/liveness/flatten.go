package liveness

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer"
)

// Options steer how a model becomes a [Program].
type Options struct {
	// FoldConstants also counts nodes as folded whose inputs are all constants
	// and whose values are too many to be followed by inference. Without it
	// only those fold whose elements inference knows.
	FoldConstants bool
	// InPlace lets an elementwise node write over an input of equal size that
	// nobody needs any more.
	InPlace bool
}

// NewProgram flattens an inferred model.
func NewProgram(r *shapeinfer.Result, opts Options) *Program {
	b := &builder{result: r, opts: opts, budget: memory.StepLimit(r.Program.Model)}
	p := b.program(r.Main, nil)
	if opts.InPlace {
		reuseInPlace(p)
	}
	return p
}

// A builder makes the program of one graph and those of its bodies.
type builder struct {
	result *shapeinfer.Result
	opts   Options
	budget int
	cut    bool
}

// A frame is one scope under flattening: the main graph, a body, or one call
// of a function.
type frame struct {
	b       *builder
	p       *Program
	scope   *shapeinfer.Scope
	path    string
	storage []StorageID // by value
	maker   []int32     // by value: the step that makes it; -1 for none
	folded  []bool      // by value: known before the model runs
	depth   int
}

func (b *builder) newFrame(p *Program, s *shapeinfer.Scope, path string, depth int) *frame {
	n := len(s.Graph.Values)
	f := &frame{b: b, p: p, scope: s, path: path, depth: depth, storage: make([]StorageID, n), maker: make([]int32, n), folded: make([]bool, n)}
	for i := range f.storage {
		f.storage[i], f.maker[i] = NoStorage, -1
	}
	return f
}

// program flattens the main graph, or a body within the frame of its node.
func (b *builder) program(s *shapeinfer.Scope, outside *frame) *Program {
	p := &Program{Result: b.result, Steps: make([]Step, 0, len(s.Nodes)), Storages: make([]Storage, 0, len(s.Graph.Values))}
	f := b.newFrame(p, s, "", 0)
	if outside != nil {
		f.depth, f.path = outside.depth+1, outside.path
	}
	f.enter(outside)
	for _, id := range s.Graph.Inputs {
		if s.Graph.Values[id].Origin == onnxgraph.GraphInput {
			p.Inputs = append(p.Inputs, f.storage[id])
		}
	}
	f.run()
	f.leave()
	p.Truncated = b.cut
	return p
}

// enter gives storages to the values that no node of the scope makes.
func (f *frame) enter(outside *frame) {
	for id := range f.scope.Graph.Values {
		v := &f.scope.Graph.Values[id]
		switch v.Origin {
		case onnxgraph.GraphInput:
			kind := Input
			if outside != nil {
				kind = Outer
			}
			f.storage[id] = f.add(onnxgraph.ValueID(id), kind, -1)
		case onnxgraph.Initializer:
			f.storage[id] = f.add(onnxgraph.ValueID(id), Weight, -1)
			f.folded[id] = !v.IsInput
		case onnxgraph.OuterScope:
			kind := Outer
			if outside != nil && outside.storage[v.Outer] != NoStorage {
				if k := outside.p.Storage(outside.storage[v.Outer]).Kind; k == Weight || k == Folded {
					kind = k
				}
				f.folded[id] = outside.folded[v.Outer]
			}
			f.storage[id] = f.add(onnxgraph.ValueID(id), kind, -1)
		case onnxgraph.UndefinedName:
			f.storage[id] = f.add(onnxgraph.ValueID(id), Outer, -1)
		}
	}
}

// leave marks the outputs of the program.
func (f *frame) leave() {
	for _, id := range f.scope.Graph.Outputs {
		if id == onnxgraph.NoValue {
			continue
		}
		s := f.storage[id]
		f.p.OutputSize = f.p.OutputSize.Add(memory.SizeOf(f.scope.Facts[id].Type))
		if s == NoStorage {
			continue
		}
		f.p.Storage(s).Output = true
		f.p.Outputs = append(f.p.Outputs, s)
	}
}

func (f *frame) add(id onnxgraph.ValueID, kind Kind, step int32) StorageID {
	f.p.Storages = append(f.p.Storages, Storage{
		Name:  f.scope.Graph.Values[id].Name,
		Kind:  kind,
		Size:  memory.SizeOf(f.scope.Facts[id].Type),
		Step:  step,
		Value: Value{f.scope, id},
	})
	return StorageID(len(f.p.Storages) - 1)
}

func (f *frame) run() {
	for _, i := range f.scope.Graph.Order {
		f.node(i)
	}
}

// node appends a node, or the steps of the function that it calls.
func (f *frame) node(i int32) {
	info := &f.scope.Nodes[i]
	if memory.IsConstant(f.scope.Graph.Nodes[i]) {
		f.constant(i)
		return
	}
	if info.Function != nil && f.depth < memory.MaxDepth && f.b.budget > len(info.Function.Nodes) {
		f.call(i, info.Function)
		return
	}
	f.step(i, info)
}

// constant makes the output of a Constant node a weight: it runs no step.
func (f *frame) constant(i int32) {
	for _, id := range f.scope.Graph.NodeOutputs(i) {
		if id != onnxgraph.NoValue {
			f.storage[id] = f.add(id, Weight, -1)
			f.folded[id] = true
		}
	}
}

// call flattens the body of a local function in place of its call. Its inputs
// are the caller's storages, and so are its results.
func (f *frame) call(i int32, body *shapeinfer.Scope) {
	g := body.Graph
	label := onnxgraph.NodeLabel(f.scope.Graph.Nodes[i], int(i))
	if f.path != "" {
		label = f.path + "/" + label
	}
	inner := f.b.newFrame(f.p, body, label, f.depth+1)
	for id := range g.Values {
		if g.Values[id].Origin == onnxgraph.Initializer {
			inner.storage[id] = inner.add(onnxgraph.ValueID(id), Weight, -1)
			inner.folded[id] = true
		}
	}
	ins := f.scope.Graph.NodeInputs(i)
	for slot, id := range g.Inputs {
		if slot < len(ins) && ins[slot] != onnxgraph.NoValue {
			inner.storage[id], inner.maker[id], inner.folded[id] = f.storage[ins[slot]], f.maker[ins[slot]], f.folded[ins[slot]]
		}
	}
	inner.run()
	for slot, id := range f.scope.Graph.NodeOutputs(i) {
		if id == onnxgraph.NoValue {
			continue
		}
		f.storage[id], f.maker[id] = NoStorage, -1
		if slot < len(g.Outputs) && g.Outputs[slot] != onnxgraph.NoValue {
			from := g.Outputs[slot]
			f.storage[id], f.maker[id], f.folded[id] = inner.storage[from], inner.maker[from], inner.folded[from]
		}
	}
}

func (f *frame) step(i int32, info *shapeinfer.Node) {
	f.b.budget--
	g := f.scope.Graph
	ins, outs, captures := g.NodeInputs(i), g.NodeOutputs(i), g.ImplicitInputs(i)
	s := Step{Scope: f.scope, Node: i, Path: f.path, Truncated: info.Function != nil,
		Reads:  make([]StorageID, 0, len(ins)+len(captures)),
		Writes: make([]StorageID, len(outs))}
	for _, ids := range [][]onnxgraph.ValueID{ins, captures} {
		for _, id := range ids {
			s.Reads = append(s.Reads, f.of(id))
			if id != onnxgraph.NoValue && f.maker[id] >= 0 && !hasStep(s.After, f.maker[id]) {
				s.After = append(s.After, f.maker[id])
			}
		}
	}
	at := int32(len(f.p.Steps))
	fold := f.folds(i, info)
	for slot, id := range outs {
		s.Writes[slot] = NoStorage
		if id == onnxgraph.NoValue {
			continue
		}
		kind := Activation
		if f.folded[id] = fold(id); f.folded[id] {
			kind = Folded
		}
		if from := viewed(info, slot, ins); from != onnxgraph.NoValue && f.storage[from] != NoStorage {
			f.storage[id] = f.storage[from]
		} else {
			f.storage[id] = f.add(id, kind, at)
		}
		s.Writes[slot], f.maker[id] = f.storage[id], at
	}
	s.Bodies = f.bodies(i, info, &s.Truncated)
	f.b.cut = f.b.cut || s.Truncated
	f.p.Steps = append(f.p.Steps, s)
}

func hasStep(steps []int32, i int32) bool {
	for _, x := range steps {
		if x == i {
			return true
		}
	}
	return false
}

func (f *frame) of(id onnxgraph.ValueID) StorageID {
	if id == onnxgraph.NoValue {
		return NoStorage
	}
	return f.storage[id]
}

// viewed is the input that an output is a view of.
func viewed(info *shapeinfer.Node, slot int, ins []onnxgraph.ValueID) onnxgraph.ValueID {
	if info.Op == nil {
		return onnxgraph.NoValue
	}
	for _, v := range info.Op.Views {
		if v.Output == slot && v.Input < len(ins) {
			return ins[v.Input]
		}
	}
	return onnxgraph.NoValue
}

// bodies flattens the graphs in the attributes of node i. cut becomes true
// where one of them is left out.
func (f *frame) bodies(i int32, info *shapeinfer.Node, cut *bool) []*Body {
	var bodies []*Body
	for k, s := range info.Subgraphs {
		if s == nil {
			continue // it never runs
		}
		if f.depth > memory.MaxDepth || f.b.budget < len(s.Nodes) {
			*cut = true
			continue
		}
		body := &Body{Attr: f.scope.Graph.Subgraphs(i)[k].Attr, Program: f.b.program(s, f)}
		switch f.scope.Graph.Nodes[i].OpType {
		case "If":
		case "Loop":
			body.Loops, body.Trips = true, f.trips(i)
		case "Scan":
			body.Loops = true
			body.Trips, _ = ScanIterations(f.scope, i)
		default:
			body.Loops = true
		}
		bodies = append(bodies, body)
	}
	return bodies
}
