// Package shapeinfer infers the type of every value of a model: element type,
// rank and dims, numbers where they are fixed and expressions over symbols
// where the caller has not bound them, and the elements of small tensors that
// decide shapes.
//
// [Infer] walks the nodes of the main graph, of subgraphs and of local functions
// in dependency order and asks the operator catalogue (package op) for each
// node's outputs. What cannot be known stays unknown, with the reason; it is
// never guessed.
//
// Inferences share nothing that changes: several goroutines may infer at once,
// one model or many.
package shapeinfer
