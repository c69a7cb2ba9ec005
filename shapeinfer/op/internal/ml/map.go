package ml

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of ai.onnx.ml that read or make maps.
//
// CastMap: https://onnx.ai/onnx/operators/onnx_aionnxml_CastMap.html
// DictVectorizer: https://onnx.ai/onnx/operators/onnx_aionnxml_DictVectorizer.html
// ZipMap: https://onnx.ai/onnx/operators/onnx_aionnxml_ZipMap.html
var mlMapOps = []op.Op{
	{Domain: op.DomainML, Name: "CastMap", Versions: []int{1}, Infer: castMap},
	{Domain: op.DomainML, Name: "DictVectorizer", Versions: []int{1}, Infer: dictVectorizer},
	{Domain: op.DomainML, Name: "ZipMap", Versions: []int{1}, Infer: zipMap},
}

// castMap makes one row of a map's values: as many as the map holds, or
// max_map of them in the sparse form.
func castMap(c *op.Call) error {
	var d onnxgraph.DType
	switch to := c.Str("cast_to", "TO_FLOAT"); to {
	case "TO_FLOAT":
		d = onnxgraph.Float
	case "TO_STRING":
		d = onnxgraph.String
	case "TO_INT64":
		d = onnxgraph.Int64
	default:
		return c.Errorf(op.CodeAttribute, "cast_to %q is not one of TO_FLOAT, TO_STRING, TO_INT64", to)
	}
	c.Set(0, d, tensor.RankOnly(2))
	switch form := c.Str("map_form", "DENSE"); form {
	case "DENSE":
		c.Set(0, d, tensor.MakeShape(dim.Int(1), c.NewSymbol(0, 1, 0, dim.Unknown())))
	case "SPARSE":
		n := c.Int("max_map", 1)
		if n < 1 {
			return c.Errorf(op.CodeAttribute, "max_map is %d", n)
		}
		c.Set(0, d, tensor.MakeShape(dim.Int(1), dim.Int(n)))
	default:
		return c.Errorf(op.CodeAttribute, "map_form %q is neither DENSE nor SPARSE", form)
	}
	return nil
}

// dictVectorizer makes one row with a place for every word of the vocabulary.
// The text speaks of an array, the runtime makes it a row: 1 x words.
func dictVectorizer(c *op.Call) error {
	d := onnxgraph.Undefined
	if elem := c.Type(0).Elem; elem != nil {
		d = elem.DType
	}
	c.Set(0, d, tensor.RankOnly(2))
	_, n, err := classLabels(c, "int64_vocabulary", "string_vocabulary")
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.MakeShape(dim.Int(1), dim.Int(int64(n))))
	return nil
}

// zipMap makes a sequence with one map a row, from label to score.
func zipMap(c *op.Call) error {
	key, n, err := classLabels(c, "classlabels_int64s", "classlabels_strings")
	c.SetType(0, tensor.SequenceOf(tensor.MapOf(key, tensor.Of(onnxgraph.Float, tensor.ScalarShape()))))
	if err != nil {
		return err
	}
	x := c.Shape(0)
	if !x.Ranked() {
		return nil
	}
	if x.Rank() < 1 || x.Rank() > 2 {
		return c.Errorf(op.CodeRank, "input %s is neither N x C nor C", x)
	}
	return c.SameSize("labels and columns", x.At(-1), dim.Int(int64(n)))
}
