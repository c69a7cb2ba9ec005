// Package compute counts the work of one inference: multiply-accumulates (MACs),
// elementwise operations, and the bytes that nodes read and write.
package compute
