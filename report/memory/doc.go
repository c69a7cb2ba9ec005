// Package memory computes what a model takes: its weights, and the memory of
// one inference as a sum, as a peak in a given order of nodes, as a placed
// arena and in the order that needs least.
//
// Everything starts from an inferred model ([shapeinfer.Result]). [Stored]
// counts its weights; [NewProgram] flattens it into a sequence of steps over
// storages, from which the other numbers follow. All sizes are bytes. A size
// that depends on run-time values is an interval, never a guess.
package memory
