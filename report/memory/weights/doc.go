// Package weights counts the constants that a model stores: bytes, elements,
// and the role that each has in training.
package weights
