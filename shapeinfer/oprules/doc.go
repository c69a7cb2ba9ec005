// Package oprules reads descriptions of operators that the catalogue lacks, such
// as a runtime's custom ones, from YAML:
//
//	operators:
//	  - name: my.domain::Upscale
//	    inputs: [x, weight]
//	    attributes: {factor: 2}
//	    outputs:
//	      - dtype: x
//	        dims: ["x[0]", "weight[0]", "x[2]*attr.factor", "x[3]*attr.factor"]
//	    macs: x[0]*weight[0]*x[2]*x[3]*weight[1]
//
// [Parse] makes catalogue entries of it. Nothing is global: who wants these
// operators known puts them into the catalogue of an inference,
//
//	opts.Catalogue = catalogue.New().With(ops...)
//
// Expressions are those of [onnxmem/shapeinfer/dim.Parse] over these names, where
// x is an input by the name that the rule gives it:
//
//	x[1], x[-1]          a dim of x, from the front or from the end
//	x.rank, x.elements   how many dims and elements x has
//	x.value[0]           an element of x, a small tensor of integers
//	attr.k, attr.k[0]    an attribute, an integer or an element of a list
//
// An element of dims may also be x[:], x[1:], x[:-1] or x[1:-1], several dims of x
// at once, and ?, a size that only a run knows; "? <= EXPRESSION" bounds it.
package oprules
