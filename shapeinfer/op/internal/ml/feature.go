package ml

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of ai.onnx.ml that prepare features.
//
// ArrayFeatureExtractor: https://onnx.ai/onnx/operators/onnx_aionnxml_ArrayFeatureExtractor.html
// Binarizer: https://onnx.ai/onnx/operators/onnx_aionnxml_Binarizer.html
// FeatureVectorizer: https://onnx.ai/onnx/operators/onnx_aionnxml_FeatureVectorizer.html
// Imputer: https://onnx.ai/onnx/operators/onnx_aionnxml_Imputer.html
// Normalizer: https://onnx.ai/onnx/operators/onnx_aionnxml_Normalizer.html
// OneHotEncoder: https://onnx.ai/onnx/operators/onnx_aionnxml_OneHotEncoder.html
// Scaler: https://onnx.ai/onnx/operators/onnx_aionnxml_Scaler.html
var mlFeatureOps = []op.Op{
	{Domain: op.DomainML, Name: "ArrayFeatureExtractor", Versions: []int{1}, Infer: arrayFeatureExtractor},
	{Domain: op.DomainML, Name: "Binarizer", Versions: []int{1}, Infer: op.LikeFirst},
	{Domain: op.DomainML, Name: "FeatureVectorizer", Versions: []int{1}, Infer: featureVectorizer},
	{Domain: op.DomainML, Name: "Imputer", Versions: []int{1}, Infer: op.LikeFirst},
	{Domain: op.DomainML, Name: "Normalizer", Versions: []int{1}, Infer: normalizer},
	{Domain: op.DomainML, Name: "OneHotEncoder", Versions: []int{1}, Infer: oneHotEncoder},
	{Domain: op.DomainML, Name: "Scaler", Versions: []int{1}, Infer: floatsLikeFirst},
}

// floatsLikeFirst gives output 0 the shape of input 0 in FLOAT.
func floatsLikeFirst(c *op.Call) error {
	c.Set(0, onnxgraph.Float, c.Shape(0))
	return nil
}

func normalizer(c *op.Call) error {
	if x := c.Shape(0); x.Ranked() && (x.Rank() < 1 || x.Rank() > 2) {
		return c.Errorf(op.CodeRank, "input %s is neither N x C nor C", x)
	}
	return floatsLikeFirst(c)
}

// arrayFeatureExtractor selects on the last axis, one element for each index
// whatever the shape of the indices. A vector is one row.
func arrayFeatureExtractor(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !x.Ranked() {
		return nil
	}
	if x.Rank() == 0 {
		return c.Errorf(op.CodeRank, "the input is a scalar")
	}
	n := c.Shape(1).Elements()
	if k, ok := n.Int(); ok && k == 0 {
		return c.Errorf(op.CodeShape, "there are no indices")
	}
	if x.Rank() == 1 {
		c.Set(0, c.DType(0), tensor.MakeShape(dim.Int(1), n))
		return nil
	}
	out := x.Clone()
	out[len(out)-1] = n
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// featureVectorizer puts its inputs side by side, each cut or filled to its
// number in inputdimensions. A vector is one row, and of higher ranks all but
// the first axis are one row.
func featureVectorizer(c *op.Call) error {
	c.Set(0, onnxgraph.Float, tensor.RankOnly(2))
	widths := c.IntList("inputdimensions")
	if widths != nil && len(widths) != len(c.Inputs) {
		return c.Errorf(op.CodeAttribute, "inputdimensions has %d numbers, there are %d inputs", len(widths), len(c.Inputs))
	}
	rows, width := dim.Unknown(), dim.Int(0)
	for i := range c.Inputs {
		x := c.Shape(i)
		own := rowWidth(x)
		if widths != nil {
			if widths[i] < 0 {
				return c.Errorf(op.CodeAttribute, "inputdimensions holds %d", widths[i])
			}
			own = dim.Int(widths[i])
		}
		width = dim.Add(width, own)
		if x.Rank() == 0 {
			return c.Errorf(op.CodeRank, "input %d is a scalar", i)
		}
		if !x.Ranked() {
			continue
		}
		n := x.At(0)
		if x.Rank() == 1 {
			n = dim.Int(1)
		}
		merged, ok := op.MergeDims(rows, n)
		if !ok {
			return c.Errorf(op.CodeShape, "inputs of %s and %s rows", rows, n)
		}
		rows = merged
	}
	c.Set(0, onnxgraph.Float, tensor.MakeShape(rows, width))
	return nil
}

// rowWidth is the number of elements in a row of a batch.
func rowWidth(x tensor.Shape) dim.Dim {
	if x.Rank() > 1 {
		return dim.Product(x.Dims()[1:]...)
	}
	return x.At(0)
}

// oneHotEncoder adds an axis of categories at the end.
func oneHotEncoder(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, onnxgraph.Float, tensor.Shape{})
	_, n, err := classLabels(c, "cats_int64s", "cats_strings")
	if err != nil {
		return err
	}
	if x.Ranked() {
		c.Set(0, onnxgraph.Float, tensor.MakeShape(append(x.Clone(), dim.Int(int64(n)))...))
	}
	return nil
}
