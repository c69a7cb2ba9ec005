// Package dim holds symbolic dimensions: what is known of the size of a tensor's axis, or of a small integer value,
// before the model runs.
//
// A [Dim] is an integer, an expression over named symbols, or unknown. Expressions are kept in a canonical form, so that
// equal expressions compare equal and print equal.
package dim
