package shapeinfer

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// A Result is a model with the types of its values. Several goroutines may read
// it, with its scopes, nodes and facts, and call its methods; nobody may change
// it.
type Result struct {
	Program     *onnxgraph.Program
	Main        *Scope
	Diagnostics []Diagnostic
	// Bindings are the symbols that the caller set to numbers.
	Bindings map[string]int64
	// Assumed are the symbols that got the default size since nothing set them.
	Assumed map[string]int64
	// FreeSymbols are the symbols of the graph's inputs that nothing set, in
	// order of first use.
	FreeSymbols []string
	// Coverage counts nodes and unknown operators.
	Coverage Coverage

	opts    Options              // what was asked for, to infer again
	unnamed map[inputAxis]string // symbols of input dims that the file gives no name
}

// InputSymbol is the symbol of a dim of an input of the main graph: the name
// that the file gives it, or the one made up for a dynamic dim without a name;
// empty for a number.
func (r *Result) InputSymbol(input string, axis int) string {
	if name := r.unnamed[inputAxis{input, axis}]; name != "" {
		return name
	}
	if id, ok := r.Main.Graph.Lookup(input); ok {
		if dims := declaredDims(r.Main.Graph.Values[id].Declared); axis < len(dims) {
			return dims[axis].Param
		}
	}
	return ""
}

// A Scope is a graph, subgraph or function body with the facts of its values.
// The body of a function that is called twice with the same types is one
// Scope.
type Scope struct {
	Graph *onnxgraph.Scope
	Facts []tensor.Fact // by onnxgraph.ValueID
	Nodes []Node        // by node index
}

// A Node is what inference found out about one node.
type Node struct {
	Op    *op.Op // nil for local functions and unknown operators
	Since int    // version of the operator in force
	// MACs counts multiply-accumulates of one run of the node itself, without
	// its subgraphs; zero where the operator has none.
	MACs dim.Dim
	// Subgraphs are the inferred graphs in the node's attributes, parallel to
	// onnxgraph.Scope.Subgraphs; nil for one that never runs.
	Subgraphs []*Scope
	// Function is the body of the local function that the node calls.
	Function *Scope
	// Failed says that the node's inputs or attributes are invalid.
	Failed bool

	visited bool // inference came to the node
	unknown bool // no operator and no function of that name is known
}

// A Severity ranks a diagnostic.
type Severity string

// The severities of diagnostics.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// A Diagnostic is a problem of the model, or a remark about it.
type Diagnostic struct {
	Code     string
	Severity Severity
	Graph    string // path of the scope, "" for the main graph
	Node     string // label of the node, "" when none is meant
	Message  string
}

// Fact returns what is known of a value.
func (s *Scope) Fact(id onnxgraph.ValueID) *tensor.Fact {
	if id == onnxgraph.NoValue {
		return nil
	}
	return &s.Facts[id]
}

// Lookup finds a value of the main graph by name.
func (r *Result) Lookup(name string) (*tensor.Fact, bool) {
	id, ok := r.Main.Graph.Lookup(name)
	if !ok {
		return nil, false
	}
	return &r.Main.Facts[id], true
}

// HasErrors reports whether a diagnostic of severity error was given.
func (r *Result) HasErrors() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d Diagnostic) bool { return d.Severity == Error })
}
