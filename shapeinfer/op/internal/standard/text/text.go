package text

import (
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators on strings.
//
// StringNormalizer: https://onnx.ai/onnx/operators/onnx__StringNormalizer.html
// StringConcat: https://onnx.ai/onnx/operators/onnx__StringConcat.html
// StringSplit: https://onnx.ai/onnx/operators/onnx__StringSplit.html
// RegexFullMatch: https://onnx.ai/onnx/operators/onnx__RegexFullMatch.html
// TfIdfVectorizer: https://onnx.ai/onnx/operators/onnx__TfIdfVectorizer.html
// None of them has changed.
var textOps = []op.Op{
	{Name: "StringNormalizer", Versions: []int{10}, Infer: stringNormalizer},
	{Name: "StringConcat", Versions: []int{20}, Infer: stringConcat},
	{Name: "StringSplit", Versions: []int{20}, Infer: stringSplit},
	{Name: "RegexFullMatch", Versions: []int{20}, Infer: regexFullMatch},
	{Name: "TfIdfVectorizer", Versions: []int{9}, Infer: tfIdfVectorizer},
}

// stringNormalizer drops stop words from [C] or [1, C]. Where all are dropped
// one empty string stays.
func stringNormalizer(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, onnxgraph.String, in)
	switch action := c.Str("case_change_action", "NONE"); action {
	case "NONE", "LOWER", "UPPER":
	default:
		return c.Errorf(op.CodeAttribute, "case_change_action is %q", action)
	}
	if !in.Ranked() {
		return nil
	}
	if in.Rank() != 1 && in.Rank() != 2 {
		return c.Errorf(op.CodeRank, "the input must be [C] or [1, C], not %s", in)
	}
	if n, ok := in.At(0).Int(); in.Rank() == 2 && ok && n != 1 {
		return c.Errorf(op.CodeShape, "the input must be [C] or [1, C], not %s", in)
	}
	stop := c.StrList("stopwords")
	out := in.Clone()
	last := len(out) - 1
	if in.Rank() == 2 {
		out[0] = dim.Int(1)
	}
	if len(stop) > 0 {
		out[last] = wordsKept(c, last, in.At(-1), stop)
	} else if op.IsZeroDim(out[last]) {
		out[last] = dim.Int(1)
	}
	c.Set(0, onnxgraph.String, tensor.MakeShape(out...))
	return nil
}

// wordsKept is how many of count words are no stop words, at least one.
func wordsKept(c *op.Call, axis int, count dim.Dim, stop []string) dim.Dim {
	v, _ := elements.Followed(c, 0, onnxgraph.String, c.Shape(0))
	if v == nil || !v.AllKnown() {
		return c.NewSymbol(0, axis, 1, dim.Max(count, dim.Int(1)))
	}
	sensitive := c.Flag("is_case_sensitive", false)
	kept := int64(0)
	for _, x := range v.Elems {
		isStop := false
		for _, word := range stop {
			isStop = isStop || word == x.Text || !sensitive && strings.EqualFold(word, x.Text)
		}
		if !isStop {
			kept++
		}
	}
	return dim.Int(max(kept, 1))
}

func stringConcat(c *op.Call) error {
	c.Set(0, onnxgraph.String, tensor.Shape{})
	shape, err := c.Broadcast(c.Shape(0), c.Shape(1))
	if err != nil {
		return err
	}
	c.Set(0, onnxgraph.String, shape)
	return nil
}

// stringSplit adds an axis as long as the most substrings of one string; its
// second output counts those of each.
func stringSplit(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, onnxgraph.String, tensor.Shape{})
	c.Set(1, onnxgraph.Int64, in)
	if !in.Ranked() {
		return nil
	}
	limit := c.Int("maxsplit", -1)
	most, lo, upper := dim.Unknown(), int64(0), dim.Unknown()
	if limit >= 0 {
		upper = dim.Add(dim.Int(limit), dim.Int(1))
	}
	v, dims := elements.Followed(c, 0, onnxgraph.String, in)
	if v != nil && v.AllKnown() {
		counts := make([]tensor.Scalar, len(v.Elems))
		longest := 0
		for i, x := range v.Elems {
			n := countSubstrings(x.Text, c.Str("delimiter", ""), limit)
			counts[i] = tensor.Int(int64(n))
			longest = max(longest, n)
		}
		most = dim.Int(int64(longest))
		c.SetValue(1, &tensor.Value{DType: onnxgraph.Int64, Dims: dims, Elems: counts})
	}
	if !most.IsKnown() {
		most = c.NewSymbol(0, in.Rank(), lo, upper)
	}
	c.Set(0, onnxgraph.String, tensor.MakeShape(append(in.Clone(), most)...))
	return nil
}

// countSubstrings counts what splitting s at most limit times gives; a
// negative limit is none. Without a delimiter runs of white space separate,
// and those at both ends do not count.
func countSubstrings(s, delimiter string, limit int64) int {
	n := len(strings.Fields(s))
	if delimiter != "" {
		n = strings.Count(s, delimiter) + 1
	}
	if limit >= 0 && int64(n)-1 > limit {
		n = int(limit) + 1
	}
	return n
}

func regexFullMatch(c *op.Call) error {
	c.Set(0, onnxgraph.Bool, c.Shape(0))
	return nil
}

// tfIdfVectorizer gives [C] or [N, C] a last dim of max(ngram_indexes) + 1.
func tfIdfVectorizer(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, onnxgraph.Float, tensor.Shape{})
	indexes := c.IntList("ngram_indexes")
	if len(indexes) == 0 {
		return c.Errorf(op.CodeAttribute, "ngram_indexes is missing or empty")
	}
	width := indexes[0]
	for _, n := range indexes {
		if n < 0 {
			return c.Errorf(op.CodeAttribute, "ngram_indexes holds %d", n)
		}
		width = max(width, n)
	}
	last, err := c.Sum("the greatest of ngram_indexes plus one", dim.Int(width), dim.Int(1))
	if err != nil {
		return err
	}
	switch in.Rank() {
	case -1:
	case 1:
		c.Set(0, onnxgraph.Float, tensor.MakeShape(last))
	case 2:
		c.Set(0, onnxgraph.Float, tensor.MakeShape(in.At(0), last))
	default:
		return c.Errorf(op.CodeRank, "the input must be [C] or [N, C], not %s", in)
	}
	return nil
}
