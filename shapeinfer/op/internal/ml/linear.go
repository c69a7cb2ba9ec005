package ml

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the linear models and support vector machines of ai.onnx.ml.
//
// LinearClassifier: https://onnx.ai/onnx/operators/onnx_aionnxml_LinearClassifier.html
// LinearRegressor: https://onnx.ai/onnx/operators/onnx_aionnxml_LinearRegressor.html
// SVMClassifier: https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html
// SVMRegressor: https://onnx.ai/onnx/operators/onnx_aionnxml_SVMRegressor.html
var mlLinearOps = []op.Op{
	{Domain: op.DomainML, Name: "LinearClassifier", Versions: []int{1}, Infer: linearClassifier, MACs: linearClassifierMACs},
	{Domain: op.DomainML, Name: "LinearRegressor", Versions: []int{1}, Infer: linearRegressor, MACs: linearRegressorMACs},
	{Domain: op.DomainML, Name: "SVMClassifier", Versions: []int{1}, Infer: svmClassifier, MACs: supportVectorMACs},
	{Domain: op.DomainML, Name: "SVMRegressor", Versions: []int{1}, Infer: svmRegressor, MACs: supportVectorMACs},
}

// linearClassifier: one score for each label. Of two labels the file may hold
// one row of coefficients, the scores are two all the same.
func linearClassifier(c *op.Call) error {
	label, n, rows, err := classifiedRows(c)
	if err != nil {
		return err
	}
	// The intercepts say how many scores there are; one score of two classes is
	// completed.
	if scores := len(c.FloatList("intercepts")); scores > 0 && !(scores == 1 && n == 2) {
		n = scores
	}
	setClassified(c, label, rows, int64(n))
	return nil
}

// classifiedRows reads the labels of a linear or support vector classifier, and
// the number of rows that it gives one of them each.
func classifiedRows(c *op.Call) (label onnxgraph.DType, labels int, rows dim.Dim, err error) {
	label, labels, err = classifier(c, "classlabels_ints", "classlabels_strings")
	if err == nil {
		rows, err = inputRows(c)
	}
	return label, labels, rows, err
}

func linearRegressor(c *op.Call) error {
	return regress(c, c.Int("targets", 1))
}

// regress sets output 0 to that many values for every row.
func regress(c *op.Call, targets int64) error {
	c.Set(0, onnxgraph.Float, tensor.RankOnly(2))
	if targets < 1 {
		return c.Errorf(op.CodeAttribute, "%d targets", targets)
	}
	rows, err := inputRows(c)
	if err != nil {
		return err
	}
	c.Set(0, onnxgraph.Float, tensor.MakeShape(rows, dim.Int(targets)))
	return nil
}

// svmClassifier: the scores are probabilities, one a class, where prob_a is
// given. Else they are what the runtime leaves raw: one for every pair of
// classes, two for two classes.
func svmClassifier(c *op.Call) error {
	label, n, rows, err := classifiedRows(c)
	if err != nil {
		return err
	}
	classes := int64(n)
	if pairs := int64(len(c.IntList("vectors_per_class"))); pairs > 0 {
		classes = pairs
		if len(c.FloatList("prob_a")) == 0 && classes > 2 {
			classes = classes * (classes - 1) / 2
		}
	}
	setClassified(c, label, rows, classes)
	return nil
}

func svmRegressor(c *op.Call) error { return regress(c, 1) }

// A linear model multiplies every feature by as many coefficients as it has
// inputRows of them.
func linearClassifierMACs(c *op.Call) dim.Dim {
	rows := c.Outputs[0].Type.Shape.At(0)
	return dim.Mul(rows, dim.Int(int64(len(c.FloatList("coefficients")))))
}

func linearRegressorMACs(c *op.Call) dim.Dim { return linearClassifierMACs(c) }

// supportVectorMACs counts the products of every row with every support
// vector, and of the kernel values with their coefficients.
func supportVectorMACs(c *op.Call) dim.Dim {
	rows := c.Outputs[0].Type.Shape.At(0)
	return dim.Mul(rows, dim.Int(int64(len(c.FloatList("support_vectors"))+len(c.FloatList("coefficients")))))
}
