package op

import "onnxmem/shapeinfer/dim"

// This file computes dims of outputs that may pass 64 bits.

// multiply returns the product of dims for a dim of an output. Numbers whose
// product does not fit 64 bits are an error of the node, since no tensor can
// have such a dim; a product is unknown only where a factor is.
func (c *Call) multiply(what string, factors ...dim.Dim) (dim.Dim, error) {
	product := dim.Product(factors...)
	if product.IsKnown() || !allInts(factors) {
		return product, nil
	}
	return product, c.Errorf(CodeShape, "%s exceeds 64 bits", what)
}

// total is multiply for a sum.
func (c *Call) total(what string, terms ...dim.Dim) (dim.Dim, error) {
	sum := dim.Sum(terms...)
	if sum.IsKnown() || !allInts(terms) {
		return sum, nil
	}
	return sum, c.Errorf(CodeShape, "%s exceeds 64 bits", what)
}

func allInts(ds []dim.Dim) bool {
	for _, d := range ds {
		if _, ok := d.Int(); !ok {
			return false
		}
	}
	return true
}
