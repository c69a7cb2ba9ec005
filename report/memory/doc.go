// Package memory holds what the packages below it share: byte counts as far as
// they are known ([Size]), sums of them that can be taken back
// ([Accumulator]), and the limit to which calls of functions are followed.
//
// The numbers themselves come from the packages below: weights (what the file
// stores), liveness (one inference: sum, peak, arena, best order), training
// (one training step), runtimes (what a named runtime takes), devices (what a
// card holds) and compute (multiply-accumulates). All sizes are bytes. A size
// that depends on run-time values is an interval, never a guess.
package memory
