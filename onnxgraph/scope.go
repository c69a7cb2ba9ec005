package onnxgraph

// A ValueID is the index of a value in its [Scope]. NoValue stands for an
// optional input or output that is left out.
type ValueID int32

// NoValue marks an input or output that a node leaves out.
const NoValue ValueID = -1

// An Origin says where a value of a scope comes from.
type Origin uint8

// The origins of a value.
const (
	// UndefinedName: some node reads the name and nothing defines it.
	UndefinedName Origin = iota
	// GraphInput: an input of the graph or function, given by the caller.
	GraphInput
	// Initializer: an initializer, dense or sparse. When it is an input too
	// (IR < 4 demands it), Value.IsInput is set.
	Initializer
	// NodeOutput: made by a node of the scope.
	NodeOutput
	// OuterScope: a value of the enclosing scope that a subgraph reads by name.
	OuterScope
)

// A Value is one named value of a scope.
type Value struct {
	Name     string
	Origin   Origin
	IsInput  bool    // listed among the graph's inputs
	IsOutput bool    // listed among the graph's outputs
	Producer int32   // NodeOutput: index of the node; else -1
	Slot     int32   // NodeOutput: index among the node's outputs
	Outer    ValueID // Captured: the value in the parent scope; else NoValue
	Tensor   *Tensor // Stored dense
	Sparse   *SparseTensor
	Declared *Type // from the inputs, outputs or value_info; nil when none
}

// A Scope is a graph, subgraph or function with its names resolved.
type Scope struct {
	Path     string // "" for the main graph, else "node_name/then_branch" and so on
	Parent   *Scope // the enclosing scope of a subgraph; nil for the main graph and functions
	Node     int32  // of a subgraph: index in Parent.Nodes of the node that holds it
	Attr     string // of a subgraph: the attribute that holds it
	Graph    *Graph // nil for functions
	Function *Function

	Nodes   []*Node
	Values  []Value
	Inputs  []ValueID // in the order of the file; stored inputs of IR < 4 included
	Outputs []ValueID // NoValue where nothing defines the name
	// Order lists the indices of Nodes so that producers come before readers.
	// It is the order of the file when that already is one.
	Order []int32
	// Sorted says that the file's own order is a dependency order.
	Sorted bool

	ins, outs      []ValueID
	inStart        []int32 // of node i: ins[inStart[i]:inStart[i+1]]
	outStart       []int32
	subgraphs      map[int32][]*Scope
	implicitInputs map[int32][]ValueID
	byName         map[string]ValueID
	useStart       []int32
	uses           []Use
}

// A Use is one reading of a value by a node of the same scope. Slot is -1 when
// the reader is a subgraph that the node holds.
type Use struct {
	Node int32
	Slot int32
}

// NodeInputs returns the values that node i reads, one per input slot.
func (s *Scope) NodeInputs(i int32) []ValueID {
	return s.ins[s.inStart[i]:s.inStart[i+1]]
}

// NodeOutputs returns the values that node i makes, one per output slot.
func (s *Scope) NodeOutputs(i int32) []ValueID {
	return s.outs[s.outStart[i]:s.outStart[i+1]]
}

// Subgraphs returns the scopes of the graphs in the attributes of node i, in the
// order of its attributes.
func (s *Scope) Subgraphs(i int32) []*Scope {
	return s.subgraphs[i]
}

// ImplicitInputs returns the values of this scope that the subgraphs of node i
// read by name, each once, in the order of first use.
func (s *Scope) ImplicitInputs(i int32) []ValueID {
	return s.implicitInputs[i]
}

// Lookup finds a value of this scope by name.
func (s *Scope) Lookup(name string) (ValueID, bool) {
	id, ok := s.byName[name]
	return id, ok
}

// Uses returns the readings of a value by nodes of this scope, subgraphs
// included, in the order of the nodes.
func (s *Scope) Uses(id ValueID) []Use {
	return s.uses[s.useStart[id]:s.useStart[id+1]]
}
