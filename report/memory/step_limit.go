package memory

import (
	"onnxmem/onnxgraph"
)

// This file limits how far calls of functions and bodies are followed.

// maxSteps bounds the steps of all programs of one model, maxDepth how deep
// calls of functions and bodies lie in each other.
const (
	MaxSteps = 1_000_000
	MaxDepth = 100
)

// StepLimit bounds the steps to which calls of functions may grow a model:
// functions that call functions can ask for more than any file holds. Real
// networks repeat a layer some dozens of times.
func StepLimit(m *onnxgraph.Model) int {
	nodes := 0
	if m.Graph != nil {
		for range m.Graph.AllNodes() {
			nodes++
		}
	}
	for _, f := range m.Functions {
		for range f.AllNodes() {
			nodes++
		}
	}
	return max(nodes, min(MaxSteps, 2_000+200*nodes))
}
