// Package scalar computes with known elements of tensors: arithmetic,
// comparisons and casts in an element type, on numbers and on expressions over
// symbols. What a runtime may round in another way is unknown.
package scalar
