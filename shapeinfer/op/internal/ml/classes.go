package ml

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds what the classifiers and encoders of ai.onnx.ml share: rows of
// features, and lists of labels.

// inputRows is the number of rows N of a feature matrix N x C in input 0; a vector
// is one row. It refuses other ranks.
func inputRows(c *op.Call) (dim.Dim, error) {
	x := c.Shape(0)
	switch x.Rank() {
	case -1:
		return dim.Unknown(), nil
	case 1:
		return dim.Int(1), nil
	case 2:
		return x.At(0), nil
	}
	return dim.Unknown(), c.Errorf(op.CodeRank, "input %s is neither a matrix of rows nor one row", x)
}

// classLabels reads the labels of a classifier, of which one list must be
// given: their type and number.
func classLabels(c *op.Call, ints, strings string) (onnxgraph.DType, int, error) {
	texts, numbers := c.StrList(strings), c.IntList(ints)
	switch {
	case len(texts) > 0 && len(numbers) > 0:
		return onnxgraph.Undefined, 0, c.Errorf(op.CodeAttribute, "both %s and %s are given", ints, strings)
	case len(texts) > 0:
		return onnxgraph.String, len(texts), nil
	case len(numbers) > 0:
		return onnxgraph.Int64, len(numbers), nil
	}
	return onnxgraph.Undefined, 0, c.Errorf(op.CodeAttribute, "neither %s nor %s is given", ints, strings)
}

// classifier is classLabels for an operator that gives every row a label and
// scores: it sets both outputs to what is known without the input.
func classifier(c *op.Call, ints, strings string) (onnxgraph.DType, int, error) {
	label, n, err := classLabels(c, ints, strings)
	c.Set(0, label, tensor.RankOnly(1))
	c.Set(1, onnxgraph.Float, tensor.RankOnly(2))
	return label, n, err
}

// setClassified sets output 0 to one label and output 1 to the scores of every
// row.
func setClassified(c *op.Call, label onnxgraph.DType, rows dim.Dim, scores int64) {
	c.Set(0, label, tensor.MakeShape(rows))
	c.Set(1, onnxgraph.Float, tensor.MakeShape(rows, dim.Int(scores)))
}
