package mutant

import (
	"math"
	"slices"

	"onnxmem/onnxgraph"
)

// This file changes what nodes hold and read: attributes, stored tensors,
// declared types; and the model around them.

// numbers are dims and attribute values to try.
var numbers = []int64{0, 1, 2, 3, 4, 7, 8, 16, 64, 255, 1 << 20, 1 << 31, 1 << 40, -1, -2, -5, math.MaxInt64, math.MinInt64}

func (u *mutator) dropAttribute() string {
	n := u.node()
	if i, ok := u.c.place(len(n.Attributes)); ok {
		what := say("%s loses %s", n.OpType, n.Attributes[i].Name)
		n.Attributes = slices.Delete(n.Attributes, i, i+1)
		return what
	}
	return ""
}

func (u *mutator) changeAttribute() string {
	n := u.node()
	i, ok := u.c.place(len(n.Attributes))
	if !ok {
		return ""
	}
	a := n.Attributes[i]
	switch u.c.Of(6) {
	case 0:
		a.Int = pick(u.c, numbers)
	case 1:
		if k, ok := u.c.place(len(a.Ints)); ok {
			a.Ints[k] = pick(u.c, numbers)
		} else {
			a.Ints = []int64{pick(u.c, numbers)}
		}
	case 2:
		if k, ok := u.c.place(len(a.Ints)); ok {
			a.Ints = slices.Delete(a.Ints, k, k+1)
		}
	case 3:
		a.String = pick(u.c, []string{"", "nowhere", "SAME_UPPER", "constant", "NOTSET", "\xff\n"})
	case 4:
		a.Float = pick(u.c, []float32{0, 1, -1, .5, float32(math.NaN()), float32(math.Inf(1))})
	case 5:
		a.Type = onnxgraph.AttributeType(u.c.Of(15))
	}
	return say("%s has another %s", n.OpType, a.Name)
}

// attributes are names to give: those that steer sizes or bodies.
var attributes = []string{
	"axis", "axes", "perm", "value", "to", "body", "then_branch", "else_branch", "num_scan_inputs", "num_heads", "kv_num_heads", "q_num_heads",
	"hidden_size", "direction", "mode", "pads", "strides", "kernel_shape", "group", "ratio", "transA", "transB", "equation", "split", "scan_input_axes",
}

func (u *mutator) renameAttribute() string {
	n := u.node()
	if i, ok := u.c.place(len(n.Attributes)); ok {
		was := n.Attributes[i].Name
		n.Attributes[i].Name = pick(u.c, attributes)
		return say("%s of %s is called %s", was, n.OpType, n.Attributes[i].Name)
	}
	return ""
}

func (u *mutator) dropTensor() string {
	if i, ok := u.c.place(len(u.g.Initializers)); ok {
		what := say("drop weight %q", u.g.Initializers[i].Name)
		u.g.Initializers = slices.Delete(u.g.Initializers, i, i+1)
		return what
	}
	return ""
}

func (u *mutator) changeTensorDims() string {
	i, ok := u.c.place(len(u.g.Initializers))
	if !ok {
		return ""
	}
	t := u.g.Initializers[i]
	switch k, any := u.c.place(len(t.Dims)); {
	case any && u.c.Of(3) > 0:
		t.Dims[k] = pick(u.c, numbers)
	case any && u.c.Of(2) > 0:
		t.Dims = slices.Delete(t.Dims, k, k+1)
	default:
		t.Dims = append(t.Dims, pick(u.c, numbers))
	}
	return say("weight %q is %v", t.Name, t.Dims)
}

func (u *mutator) changeTensorType() string {
	if i, ok := u.c.place(len(u.g.Initializers)); ok {
		t := u.g.Initializers[i]
		t.DType = onnxgraph.DType(u.c.Of(30))
		return say("weight %q is %v", t.Name, t.DType)
	}
	return ""
}

func (u *mutator) renameTensor() string {
	if i, ok := u.c.place(len(u.g.Initializers)); ok {
		t := u.g.Initializers[i]
		was := t.Name
		t.Name = pick(u.c, u.names())
		return say("weight %q is called %q", was, t.Name)
	}
	return ""
}

func (u *mutator) dropGraphInput() string {
	if i, ok := u.c.place(len(u.g.Inputs)); ok {
		what := say("drop graph input %q", u.g.Inputs[i].Name)
		u.g.Inputs = slices.Delete(u.g.Inputs, i, i+1)
		return what
	}
	return ""
}

func (u *mutator) dropGraphOutput() string {
	if i, ok := u.c.place(len(u.g.Outputs)); ok {
		what := say("drop graph output %q", u.g.Outputs[i].Name)
		u.g.Outputs = slices.Delete(u.g.Outputs, i, i+1)
		return what
	}
	return ""
}

func (u *mutator) addGraphOutput() string {
	v := &onnxgraph.ValueInfo{Name: pick(u.c, u.names())}
	u.g.Outputs = append(u.g.Outputs, v)
	return say("%q is a graph output", v.Name)
}

// declared is a declared value of the graph.
func (u *mutator) declared() *onnxgraph.ValueInfo {
	all := slices.Concat(u.g.Inputs, u.g.Outputs, u.g.ValueInfos)
	if i, ok := u.c.place(len(all)); ok {
		return all[i]
	}
	return new(onnxgraph.ValueInfo)
}

func (u *mutator) changeType() string {
	v := u.declared()
	if v.Type == nil {
		v.Type = &onnxgraph.Type{Kind: onnxgraph.KindTensor, DType: onnxgraph.Float, Shape: &onnxgraph.Shape{}}
	}
	t := v.Type
	switch what := u.c.Of(8); {
	case what == 0:
		t.DType = onnxgraph.DType(u.c.Of(30))
	case what == 1:
		t.Kind = onnxgraph.TypeKind(u.c.Of(7))
	case what == 2:
		t.Shape = nil
	case what == 3:
		v.Type = &onnxgraph.Type{Kind: onnxgraph.KindSequence, Elem: t}
	case t.Shape == nil || len(t.Shape.Dims) == 0 || what == 4:
		if t.Shape == nil {
			t.Shape = &onnxgraph.Shape{}
		}
		t.Shape.Dims = append(t.Shape.Dims, onnxgraph.Dim{Param: "n"})
	case what == 5:
		t.Shape.Dims = t.Shape.Dims[:len(t.Shape.Dims)-1]
	default:
		d := &t.Shape.Dims[u.c.Of(len(t.Shape.Dims))]
		*d = onnxgraph.Dim{Value: pick(u.c, numbers), HasValue: true}
		if what == 7 {
			*d = onnxgraph.Dim{Param: pick(u.c, []string{"n", "batch", "?", "n + 1", "2*n", "n//0", "-1", "n*n*n*n*n*n*n*n"})}
		}
	}
	return say("%q has another type", v.Name)
}

func (u *mutator) untype() string {
	v := u.declared()
	v.Type = nil
	return say("%q has no type", v.Name)
}

func (u *mutator) changeOpset() string {
	i, ok := u.c.place(len(u.model.OpsetImports))
	if !ok {
		return ""
	}
	o := &u.model.OpsetImports[i]
	o.Version = pick(u.c, []int64{1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 99, 0, -1})
	return say("opset %q %d", o.Domain, o.Version)
}

// nest puts the second half of a graph into a branch or the body of a loop.
func (u *mutator) nest() string {
	half := len(u.g.Nodes) / 2
	if half == 0 || len(u.g.Nodes) > 400 {
		return ""
	}
	kind := pick(u.c, []string{"If", "Loop", "Scan"})
	inner := &onnxgraph.Graph{Name: "inner", Nodes: slices.Clone(u.g.Nodes[half:]), Outputs: slices.Clone(u.g.Outputs)}
	n := &onnxgraph.Node{OpType: kind, Name: "nest"}
	for range u.c.Of(3) {
		n.Inputs = append(n.Inputs, pick(u.c, u.names()))
	}
	for range u.c.Of(3) {
		inner.Inputs = append(inner.Inputs, &onnxgraph.ValueInfo{Name: pick(u.c, u.names())})
	}
	for _, o := range u.g.Outputs {
		n.Outputs = append(n.Outputs, o.Name)
	}
	body := func(name string) *onnxgraph.Attribute {
		return &onnxgraph.Attribute{Name: name, Type: onnxgraph.AttributeGraph, Graph: inner, Set: 1 << onnxgraph.AttributeGraph}
	}
	switch kind {
	case "If":
		n.Attributes = []*onnxgraph.Attribute{body("then_branch")}
		if u.c.Of(2) > 0 {
			n.Attributes = append(n.Attributes, &onnxgraph.Attribute{
				Name: "else_branch", Type: onnxgraph.AttributeGraph, Set: 1 << onnxgraph.AttributeGraph, Graph: &onnxgraph.Graph{Name: "else", Outputs: slices.Clone(u.g.Outputs)},
			})
		}
	case "Scan":
		n.Attributes = []*onnxgraph.Attribute{body("body"), {Name: "num_scan_inputs", Type: onnxgraph.AttributeInt, Int: pick(u.c, numbers), Set: 1 << onnxgraph.AttributeInt}}
	default:
		n.Attributes = []*onnxgraph.Attribute{body("body")}
	}
	u.g.Nodes = append(slices.Clone(u.g.Nodes[:half]), n)
	return say("the second half is in a %s", kind)
}

// wrapInFunction puts a node into a local function and calls that, or calls it
// from itself.
func (u *mutator) wrapInFunction() string {
	i, ok := u.c.place(len(u.g.Nodes))
	if !ok || len(u.model.Functions) > 3 {
		return ""
	}
	n := u.g.Nodes[i]
	f := &onnxgraph.Function{Name: say("f%d", len(u.model.Functions)), Domain: "local", Inputs: slices.Clone(n.Inputs), Outputs: slices.Clone(n.Outputs), OpsetImports: u.model.OpsetImports}
	for k, in := range f.Inputs {
		if in == "" || slices.Contains(f.Inputs[:k], in) {
			f.Inputs[k] = say("unused%d", k)
		}
	}
	inner := copyNode(*n)
	f.Nodes = []*onnxgraph.Node{&inner}
	call := &onnxgraph.Node{OpType: f.Name, Domain: "local", Inputs: n.Inputs, Outputs: n.Outputs}
	if u.c.Of(8) == 7 {
		f.Nodes = append(f.Nodes, call)
	}
	u.model.Functions = append(u.model.Functions, f)
	u.model.OpsetImports = append(u.model.OpsetImports, onnxgraph.OpsetImport{Domain: "local", Version: 1})
	u.g.Nodes[i] = call
	return say("%s is called as a function", n.OpType)
}

// feedFromWeight lets a node read a weight, which trains then.
func (u *mutator) feedFromWeight() string {
	n := u.node()
	i, ok := u.c.place(len(n.Inputs))
	w, stored := u.c.place(len(u.g.Initializers))
	if !ok || !stored {
		return ""
	}
	n.Inputs[i] = u.g.Initializers[w].Name
	return say("input %d of %s is the weight %q", i, n.OpType, n.Inputs[i])
}

// freezeInput lets a node read an input of the graph, which needs no gradient.
func (u *mutator) freezeInput() string {
	n := u.node()
	i, ok := u.c.place(len(n.Inputs))
	w, given := u.c.place(len(u.g.Inputs))
	if !ok || !given {
		return ""
	}
	n.Inputs[i] = u.g.Inputs[w].Name
	return say("input %d of %s is the graph input %q", i, n.OpType, n.Inputs[i])
}
