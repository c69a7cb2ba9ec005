package training

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
)

// This file holds the operators of ai.onnx.preview.training. The optimizers
// take R and T, then groups of equally many tensors, and return some of the
// groups updated.
//
// Adagrad: https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adagrad.html
// Adam: https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adam.html
// Momentum: https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Momentum.html
// Gradient: https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Gradient.html
var trainingOps = []op.Op{
	{Domain: op.DomainPreviewTraining, Name: "Adagrad", Versions: []int{1}, Infer: adagrad},
	{Domain: op.DomainPreviewTraining, Name: "Adam", Versions: []int{1}, Infer: adam},
	{Domain: op.DomainPreviewTraining, Name: "Gradient", Versions: []int{1}, Infer: gradient},
	{Domain: op.DomainPreviewTraining, Name: "Momentum", Versions: []int{1}, Infer: momentum},
}

// The groups of inputs: parameters, gradients, then the optimizer's states.
func adagrad(c *op.Call) error  { return optimizer(c, 3) } // X, G, H
func momentum(c *op.Call) error { return optimizer(c, 3) } // X, G, V
func adam(c *op.Call) error     { return optimizer(c, 4) } // X, G, V, H

// optimizer returns all groups but that of the gradients, each tensor as it
// came.
func optimizer(c *op.Call, groups int) error {
	n := (len(c.Inputs) - 2) / groups
	if n < 1 || 2+n*groups != len(c.Inputs) {
		return c.Errorf(op.CodeArity, "%d inputs after R and T are not %d groups of equally many", len(c.Inputs)-2, groups)
	}
	if len(c.Outputs) != n*(groups-1) {
		return c.Errorf(op.CodeArity, "%d outputs, not %d", len(c.Outputs), n*(groups-1))
	}
	for o := range c.Outputs {
		in := 2 + o
		if o >= n {
			in += n
		}
		c.Set(o, c.DType(in), c.Shape(in))
		if err := optimizerGroup(c, n, groups, o%n); err != nil {
			return err
		}
	}
	return nil
}

// optimizerGroup checks that a parameter, its gradient and its states have one
// shape.
func optimizerGroup(c *op.Call, n, groups, i int) error {
	for g := 1; g < groups; g++ {
		if _, err := c.MergeShapes(c.Shape(2+i), c.Shape(2+g*n+i)); err != nil {
			return err
		}
	}
	return nil
}

// gradient returns one derivative for each tensor in xs, of its shape.
func gradient(c *op.Call) error {
	xs := len(c.StrList("xs"))
	if n := xs + len(c.StrList("zs")); n != len(c.Inputs) {
		return c.Errorf(op.CodeArity, "%d inputs for %d tensors in xs and zs", len(c.Inputs), n)
	}
	if len(c.Outputs) > xs {
		return c.Errorf(op.CodeArity, "%d outputs for %d tensors in xs", len(c.Outputs), xs)
	}
	for o := range c.Outputs {
		d := c.DType(o)
		if !d.IsFloat() {
			d = onnxgraph.Undefined
		}
		c.Set(o, d, c.Shape(o))
	}
	return nil
}
