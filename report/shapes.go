package report

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// ShapesSchema names the version of the JSON form of a ShapesResult.
const ShapesSchema = "onnxmem/shapes/v1"

// A ShapesResult lists the type of every named value of a model.
type ShapesResult struct {
	Schema      string       `json:"schema"`
	Model       Model        `json:"model"`
	Tensors     []Tensor     `json:"tensors"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// A Tensor is one named value. Shape holds numbers, expressions as strings,
// and nil for unknown dims; it is nil when the rank is unknown. For sequences,
// optionals and maps it is the shape of the element.
type Tensor struct {
	Name   string  `json:"name"`
	Graph  string  `json:"graph"` // "" for the main graph
	DType  *string `json:"dtype"`
	Shape  []any   `json:"shape"`
	Bytes  *int64  `json:"bytes"`
	Known  Known   `json:"known"`
	Reason string  `json:"reason"`
}

// Known says how far a type is known.
type Known string

// The degrees of knowledge, best first.
const (
	Exact    Known = "exact"    // numbers only
	Symbolic Known = "symbolic" // expressions over the inputs' symbols
	Bounded  Known = "bounded"  // a dim depends on run-time values and has an upper bound
	Assumed  Known = "assumed"  // numbers, after a default was taken for an open symbol
	Declared Known = "declared" // the file says so and inference could not check it
	NotKnown Known = "unknown"  // something is not known
)

// Shapes lists the values of an inferred model: the main graph, the bodies
// that may run, and the bodies of functions, each once.
func Shapes(r *shapeinfer.Result) *ShapesResult {
	s := &ShapesResult{Schema: ShapesSchema, Model: describe(r), Tensors: []Tensor{}, Diagnostics: diagnostics(r)}
	seen := map[*shapeinfer.Scope]bool{}
	s.addScope(r.Main, "", len(r.Assumed) > 0, seen)
	return s
}

func (s *ShapesResult) addScope(scope *shapeinfer.Scope, path string, assumed bool, seen map[*shapeinfer.Scope]bool) {
	if seen[scope] {
		return
	}
	seen[scope] = true
	for id := range scope.Graph.Values {
		v := &scope.Graph.Values[id]
		if v.Name == "" || v.Origin == onnxgraph.OuterScope || v.Origin == onnxgraph.UndefinedName {
			continue
		}
		s.Tensors = append(s.Tensors, describeTensor(v.Name, path, &scope.Facts[id], assumed))
	}
	for i := range scope.Nodes {
		node := &scope.Nodes[i]
		label := onnxgraph.NodeLabel(scope.Graph.Nodes[i], i)
		if path != "" {
			label = path + "/" + label
		}
		bodies := scope.Graph.Subgraphs(int32(i))
		for k, body := range node.Subgraphs {
			if body != nil {
				s.addScope(body, label+"/"+bodies[k].Attr, assumed, seen)
			}
		}
		if node.Function != nil {
			s.addScope(node.Function, label, assumed, seen)
		}
	}
}

func describeTensor(name, path string, fact *tensor.Fact, assumed bool) Tensor {
	t := Tensor{Name: name, Graph: path, Reason: fact.Reason}
	if d := fact.Type.Name(); d != "" {
		t.DType = &d
	}
	t.Known = knowledge(fact, assumed)
	if inner, ok := fact.Type.Tensor(); ok && inner.Shape.Ranked() {
		t.Shape = make([]any, inner.Shape.Rank())
		for i, d := range inner.Shape.Dims() {
			t.Shape[i] = describeDim(d)
		}
	}
	if n, ok := fact.Type.Bytes().Int(); ok && n >= 0 { // declared dims may be negative
		t.Bytes = &n
	}
	return t
}

func describeDim(d dim.Dim) any {
	if n, ok := d.Int(); ok {
		return n
	}
	if d.IsKnown() {
		return d.String()
	}
	return nil
}

func knowledge(fact *tensor.Fact, assumed bool) Known {
	inner, ok := fact.Type.Tensor()
	if !ok || inner.DType == onnxgraph.Undefined || !inner.Shape.Ranked() {
		return NotKnown
	}
	known := Exact
	for _, d := range inner.Shape.Dims() {
		switch _, number := d.Int(); {
		case number:
		case !d.IsKnown():
			return NotKnown
		case d.HasDataDependent():
			if _, ok := d.UpperExpr().Int(); !ok && !d.UpperExpr().IsKnown() {
				return NotKnown
			}
			known = Bounded
		case known == Exact:
			known = Symbolic
		}
	}
	switch {
	case fact.Declared:
		return Declared
	case known == Exact && assumed:
		return Assumed
	}
	return known
}

func describe(r *shapeinfer.Result) Model {
	m := r.Program.Model
	out := Model{Path: m.Path, Bytes: m.Size, Producer: m.ProducerName, IRVersion: m.IRVersion, Opsets: map[string]int64{}, Nodes: len(m.Graph.Nodes)}
	if m.ProducerVersion != "" {
		out.Producer += " " + m.ProducerVersion
	}
	for _, imp := range m.OpsetImports {
		out.Opsets[imp.Domain] = imp.Version
	}
	return out
}

func diagnostics(r *shapeinfer.Result) []Diagnostic {
	out := make([]Diagnostic, 0, len(r.Diagnostics))
	for _, d := range r.Diagnostics {
		out = append(out, Diagnostic{d.Code, string(d.Severity), d.Graph, d.Node, d.Message})
	}
	return out
}
