package shapeinfer

import (
	"fmt"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// This file bounds what one inference may take. A small file can ask for any
// amount of work: loops in loops, functions that call each other with ever
// other arguments, shapes of thousands of dims. What is left when the budget is
// spent stays unknown, with that reason.

// A budget is what is left to one inference over all of its scopes.
type budget struct {
	steps int64 // a step is about a microsecond
	cells int64 // a cell is a dim, 16 bytes, that stays in memory
	ended bool
}

// The allowances of one inference: a second or so and a few ten megabytes for
// any file, and what is linear in the number of its nodes, with room to follow
// subgraphs several times over.
const (
	baseSteps    = 100_000
	stepsPerNode = 8
	baseCells    = 2_000_000
	cellsPerNode = 64
)

func newBudget(p *onnxgraph.Program) budget {
	n := int64(countNodes(p.Main))
	for _, f := range p.Functions {
		n += int64(countNodes(f))
	}
	return budget{steps: baseSteps + stepsPerNode*n, cells: baseCells + cellsPerNode*n}
}

// countNodes counts the nodes of a scope and of the subgraphs in it.
func countNodes(s *onnxgraph.Scope) int {
	n := len(s.Nodes)
	for i := range s.Nodes {
		for _, sub := range s.Subgraphs(int32(i)) {
			n += countNodes(sub)
		}
	}
	return n
}

// overBudget is why a value is unknown that came after the end of the budget.
const overBudget = "the analysis ended before this node: the model asks for too much work"

// Costs of what nodes handle, in steps: a node takes one, and more where its
// shapes are long or its elements many.
const (
	dimsPerStep     = 16
	elementsPerStep = 16
	valuesPerStep   = 4 // of a scope, each time that it is gone through
)

// stepsOf is the work on one fact that a node reads or makes.
func stepsOf(fact *tensor.Fact) int64 {
	inner, _ := fact.Type.Tensor()
	n := int64(inner.Shape.Rank()) / dimsPerStep
	for _, d := range inner.Shape.Dims() {
		n += int64(d.Size() / dimsPerStep)
	}
	if fact.Value != nil {
		n += int64(len(fact.Value.Elems)) / elementsPerStep
	}
	return n + int64(len(fact.Items))/elementsPerStep
}

// Cells that are kept, in dims.
const (
	cellsPerElement = 4
	cellsPerItem    = 5
	cellsPerValue   = 8 // a fact
	// A shape of a few dims, or a value of a few elements, is kept in any case: the
	// number of nodes bounds these.
	fewCells = 64
)

// spend takes what the node under inference did from the budget.
func (f *scopeInference) spend() {
	b := &f.e.budget
	n := int64(1)
	for _, fact := range f.call.Inputs {
		if fact != nil {
			n += stepsOf(fact)
		}
	}
	for i := range f.call.Outputs {
		n += stepsOf(&f.call.Outputs[i])
	}
	b.steps -= n
	f.endIfSpent()
}

// endIfSpent says once that the budget is spent.
func (f *scopeInference) endIfSpent() {
	b := &f.e.budget
	if b.steps >= 0 || b.ended {
		return
	}
	b.ended = true
	f.e.diagnose(Error, "too-much-work", f.scope.Graph.Path, f.label(),
		"the model asks for more work than is done for its %d nodes (subgraphs and functions run over and over, or shapes of very many dims): what comes after this node is unknown", len(f.scope.Graph.Nodes))
}

// keep takes the memory of what an output keeps from the budget, and forgets
// what is too large for the rest.
func (f *scopeInference) keep(fact *tensor.Fact) {
	b := &f.e.budget
	over := func(cells int64) bool {
		if cells > fewCells && cells > b.cells {
			return true
		}
		b.cells -= cells
		return false
	}
	if v := fact.Value; v != nil && len(v.Elems) > 0 && !f.sharesElements(v) && over(cellsPerElement*int64(len(v.Elems))) {
		fact.Value = nil
	}
	if fact.Items != nil && over(cellsPerItem*int64(len(fact.Items))) {
		fact.Items = nil
	}
	if dims := fact.Type.Shape.Dims(); len(dims) > 0 && !f.sharesDims(fact.Type.Shape) && over(int64(len(dims))) {
		fact.Type.Shape = tensor.Shape{}
		fact.Reason = fmt.Sprintf("the shapes of the model have too many dims in all to keep one of %d more", len(dims))
	}
}

// sharesElements reports whether the elements are those of an input of the
// node.
func (f *scopeInference) sharesElements(v *tensor.Value) bool {
	for _, in := range f.call.Inputs {
		if in != nil && in.Value != nil && len(in.Value.Elems) > 0 && &in.Value.Elems[0] == &v.Elems[0] {
			return true
		}
	}
	return false
}

// sharesDims reports whether a shape is that of an input of the node.
func (f *scopeInference) sharesDims(s tensor.Shape) bool {
	for _, in := range f.call.Inputs {
		if in != nil && in.Type.Shape.Rank() > 0 && &in.Type.Shape.Dims()[0] == &s.Dims()[0] {
			return true
		}
	}
	return false
}
