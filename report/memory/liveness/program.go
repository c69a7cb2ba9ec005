package liveness

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer"
)

// A Kind says where a storage comes from, and so who holds it.
type Kind uint8

// The kinds of storages. Only activations count among what nodes make.
const (
	Activation Kind = iota // made by a node
	Input                  // given by the caller
	Weight                 // stored in the file
	Folded                 // made by nodes, but known before the model runs
	Outer                  // of a body: alive in the enclosing program
)

// A StorageID is the index of a storage in its [Program]. NoStorage stands for
// an input or output that is left out.
type StorageID int32

// NoStorage marks an input or output slot that is left out.
const NoStorage StorageID = -1

// A Storage is memory that one or more values share: a value and its views.
type Storage struct {
	Name   string // of the value that made it
	Kind   Kind
	Size   memory.Size
	Step   int32 // the step that makes it; -1 for inputs and weights
	Output bool  // a value in it is an output of the program, which holds it to the end
	Value  Value
}

// A Value names a value of an inferred scope.
type Value struct {
	Scope *shapeinfer.Scope
	ID    onnxgraph.ValueID
}

// A Step is one node that runs. Calls of local functions are replaced by the
// steps of the function's body.
type Step struct {
	Scope *shapeinfer.Scope
	Node  int32
	Path  string // of the function calls around it, "" outside functions
	// Reads are the storages of the node's inputs, then of the values that its
	// bodies take from outside.
	Reads []StorageID
	// Writes are the storages of its outputs: new ones, or those of the inputs
	// that they are views of. NoStorage for an output without a name.
	Writes []StorageID
	// After are the steps that make the values that it reads, each once.
	After  []int32
	Bodies []*Body
	// Truncated says that the step stands for a call or for bodies that are too large
	// to be followed: what they take beyond its outputs is not known.
	Truncated bool
}

// A Body is the program in an attribute of a step: a branch of If, the body
// of a Loop or Scan.
type Body struct {
	Attr    string
	Loops   bool  // runs again and again: its results of one turn are the next turn's inputs
	Trips   int64 // how often it runs where that is known; 0 where not
	Program *Program
}

// A Program is a graph in a form in which memory can be counted: the steps in
// the order of the file, and the storages that they read and make.
type Program struct {
	Result   *shapeinfer.Result
	Steps    []Step
	Storages []Storage
	Inputs   []StorageID
	// Outputs are the storages of the graph's outputs, repetitions included.
	Outputs []StorageID
	// OutputSize is the size of all outputs, each at its full size.
	OutputSize memory.Size
	// Truncated says that some steps are Truncated.
	Truncated bool
}

// Storage is a storage of the program. For NoStorage it is one that belongs to
// no program and that no step makes.
func (p *Program) Storage(id StorageID) *Storage {
	if id == NoStorage {
		return &Storage{Kind: Outer, Step: -1}
	}
	return &p.Storages[id]
}

// Maker is the step that makes a storage; ok is false for what is there before
// the first step.
func (p *Program) Maker(id StorageID) (s *Step, ok bool) {
	i := p.Storage(id).Step
	if i < 0 {
		return nil, false
	}
	return &p.Steps[i], true
}

// SizeIn is the size of a value that lies in a storage: the storage's own where
// the value made it, so that limits of sizes are sought once.
func (p *Program) SizeIn(id StorageID, v Value) memory.Size {
	if id != NoStorage && p.Storage(id).Value == v {
		return p.Storage(id).Size
	}
	return memory.SizeOf(v.Scope.Facts[v.ID].Type)
}

// NodeOf is the node of a step.
func (s *Step) NodeOf() *onnxgraph.Node { return s.Scope.Graph.Nodes[s.Node] }

// Label names the step: the node's name or index, after the path of calls.
func (s *Step) Label() string {
	label := onnxgraph.NodeLabel(s.NodeOf(), int(s.Node))
	if s.Path != "" {
		return s.Path + "/" + label
	}
	return label
}

// Info is what inference found out about the step's node.
func (s *Step) Info() *shapeinfer.Node { return &s.Scope.Nodes[s.Node] }

// Makes calls f for each storage that the step makes itself, once.
func (p *Program) Makes(i int, f func(StorageID)) {
	for k, id := range p.Steps[i].Writes {
		if id == NoStorage || p.Storage(id).Step != int32(i) || contains(p.Steps[i].Writes[:k], id) {
			continue
		}
		f(id)
	}
}

func contains(ids []StorageID, id StorageID) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}
