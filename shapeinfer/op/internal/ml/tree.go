package ml

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the tree ensembles of ai.onnx.ml.
//
// TreeEnsembleClassifier: https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleClassifier.html
// 3: weights and thresholds as tensors, for doubles; 5: withdrawn.
//
// TreeEnsembleRegressor: https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleRegressor.html
// 3: weights and thresholds as tensors; 5: withdrawn.
//
// TreeEnsemble: https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html
// 5: replaces both; the output has the input's element type.
var mlTreeOps = []op.Op{
	{Domain: op.DomainML, Name: "TreeEnsembleClassifier", Versions: []int{1}, Infer: treeClassifier},
	{Domain: op.DomainML, Name: "TreeEnsembleClassifier", Versions: []int{3, 5}, Infer: treeClassifier, Deprecated: true},
	{Domain: op.DomainML, Name: "TreeEnsembleRegressor", Versions: []int{1}, Infer: treeRegressor},
	{Domain: op.DomainML, Name: "TreeEnsembleRegressor", Versions: []int{3, 5}, Infer: treeRegressor, Deprecated: true},
	{Domain: op.DomainML, Name: "TreeEnsemble", Versions: []int{5}, Infer: treeEnsemble},
}

func treeClassifier(c *op.Call) error {
	label, n, err := classifier(c, "classlabels_int64s", "classlabels_strings")
	if err != nil {
		return err
	}
	rows, err := treeRows(c)
	if err != nil {
		return err
	}
	if err := oneForm(c, "class_weights", "nodes_values", "nodes_hitrates", "base_values"); err != nil {
		return err
	}
	setClassified(c, label, rows, int64(n))
	return nil
}

func treeRegressor(c *op.Call) error {
	c.Set(0, onnxgraph.Float, tensor.RankOnly(2))
	rows, err := treeRows(c)
	if err != nil {
		return err
	}
	if err := oneForm(c, "target_weights", "nodes_values", "nodes_hitrates", "base_values"); err != nil {
		return err
	}
	return setTargets(c, onnxgraph.Float, rows)
}

// treeRows is N of the input, which must be N x F.
func treeRows(c *op.Call) (dim.Dim, error) {
	x := c.Shape(0)
	if x.Ranked() && x.Rank() != 2 {
		return dim.Unknown(), c.Errorf(op.CodeRank, "input %s is not a matrix of rows", x)
	}
	return x.At(0), nil
}

// oneForm refuses an attribute that is given as a list of floats and as a
// tensor too.
func oneForm(c *op.Call, names ...string) error {
	for _, name := range names {
		if len(c.FloatList(name)) > 0 && c.HasAttr(name+"_as_tensor") {
			return c.Errorf(op.CodeAttribute, "%s is given twice, as a list and as a tensor", name)
		}
	}
	return nil
}

// setTargets sets output 0 to n_targets values for every row.
func setTargets(c *op.Call, d onnxgraph.DType, rows dim.Dim) error {
	c.Set(0, d, tensor.MakeShape(rows, dim.Unknown()))
	if !c.HasAttr("n_targets") {
		c.Unknown(0, "n_targets is not given")
		return nil
	}
	n := c.Int("n_targets", 0)
	if n < 1 {
		return c.Errorf(op.CodeAttribute, "n_targets is %d", n)
	}
	c.Set(0, d, tensor.MakeShape(rows, dim.Int(n)))
	return nil
}

func treeEnsemble(c *op.Call) error {
	d := c.DType(0)
	c.Set(0, d, tensor.RankOnly(2))
	rows, err := treeRows(c)
	if err != nil {
		return err
	}
	if err := treeNodes(c); err != nil {
		return err
	}
	return setTargets(c, d, rows)
}

// treeNodes checks that the nodes_* describe equally many nodes and the leaf_*
// equally many leaves, and that tensors of numbers have the input's type.
func treeNodes(c *op.Call) error {
	nodes := int64(len(c.IntList("nodes_featureids")))
	for _, name := range []string{"nodes_truenodeids", "nodes_falsenodeids", "nodes_trueleafs", "nodes_falseleafs", "nodes_missing_value_tracks_true"} {
		if n := int64(len(c.IntList(name))); n != nodes && c.HasAttr(name) {
			return c.Errorf(op.CodeAttribute, "%s has %d entries, nodes_featureids has %d", name, n, nodes)
		}
	}
	leaves := int64(len(c.IntList("leaf_targetids")))
	for _, t := range []struct {
		name  string
		n     int64
		dtype onnxgraph.DType
	}{
		{"nodes_modes", nodes, onnxgraph.Uint8},
		{"nodes_splits", nodes, c.DType(0)},
		{"nodes_hitrates", nodes, c.DType(0)},
		{"leaf_weights", leaves, c.DType(0)},
		{"membership_values", -1, c.DType(0)},
	} {
		if err := tensorAttr(c, t.name, t.n, t.dtype); err != nil {
			return err
		}
	}
	return nil
}

// tensorAttr checks that a tensor attribute, where it is given, is a vector of
// n elements of that type. A negative n is any number.
func tensorAttr(c *op.Call, name string, n int64, d onnxgraph.DType) error {
	a := c.Node.Attribute(name)
	if a == nil || a.Tensor == nil {
		return nil
	}
	t := a.Tensor
	if len(t.Dims) != 1 || (n >= 0 && t.Dims[0] != n) {
		return c.Errorf(op.CodeAttribute, "%s has shape %v, not one of %d elements", name, t.Dims, n)
	}
	if d != onnxgraph.Undefined && t.DType != d {
		return c.Errorf(op.CodeType, "%s has elements of type %s, not %s", name, t.DType, d)
	}
	return nil
}
