// Package liveness computes what one inference takes, whatever the runtime:
// [NewProgram] flattens an inferred model into steps over storages, from which
// follow the sum without reuse, the peak in a given order, a placed arena, and
// the order that needs least. All sizes are bytes.
package liveness
