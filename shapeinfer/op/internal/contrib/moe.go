package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the mixtures of experts of com.microsoft: every token passes
// k of the experts, and the output is like the input
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribMoEOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "MoE", Versions: []int{1}, Infer: op.LikeFirst, MACs: moeMACs, Roles: op.ParametersAt(2, 3, 4, 5, 6, 7)},
	{Domain: op.DomainMicrosoft, Name: "MoEGroupRouter", Versions: []int{1}, Infer: moeGroupRouter, MACs: moeGroupRouterMACs},
	{Domain: op.DomainMicrosoft, Name: "MoEPacked", Versions: []int{1}, Infer: op.LikeFirst, MACs: moePackedMACs},
	{Domain: op.DomainMicrosoft, Name: "QMoE", Versions: []int{1}, Infer: op.LikeFirst, MACs: qMoEMACs, QuantizedWeights: true},
}

// expertMACs counts k experts of so many weights for every row of input 0.
func expertMACs(c *op.Call, weights dim.Dim) dim.Dim {
	return dim.Product(op.LeadingElements(c.Shape(0)), dim.Int(c.Int("k", 1)), weights)
}

// moeMACs: the weights of expert e are w[e], each used once a token.
func moeMACs(c *op.Call) dim.Dim {
	weights := dim.Int(0)
	for _, slot := range []int{2, 4, 6} {
		if c.Has(slot) {
			weights = dim.Add(weights, dim.Mul(c.Shape(slot).At(1), c.Shape(slot).At(2)))
		}
	}
	return expertMACs(c, weights)
}

// qMoEMACs: the last axis of the weights is packed. Prepacked ones have a
// layout of their own.
func qMoEMACs(c *op.Call) dim.Dim {
	if c.Int("weights_prepacked", 0) > 0 {
		return dim.Unknown()
	}
	weights := dim.Int(0)
	for i, name := range []string{"fc1_expert_weight_bits", "fc2_expert_weight_bits", "fc3_expert_weight_bits"} {
		slot := 2 + 3*i
		if !c.Has(slot) {
			continue
		}
		bits := c.Int(name, 0)
		if bits == 0 {
			bits = c.Int("expert_weight_bits", 4)
		}
		w := c.Shape(slot)
		weights = dim.Add(weights, dim.Product(w.At(1), w.At(2), dim.Int(weightsPerByte(c.DType(slot), bits))))
	}
	return expertMACs(c, weights)
}

// moePackedMACs: gate and up are inter x hidden, down is hidden x inter.
func moePackedMACs(c *op.Call) dim.Dim {
	matrices := int64(2)
	if c.Has(3) {
		matrices++
	}
	inter, hidden := c.Shape(2).At(1), c.Shape(0).At(-1)
	return expertMACs(c, dim.Product(dim.Int(matrices), inter, hidden))
}

// moeGroupRouter makes scores of tokens x experts; the experts are on the last
// axis of the logits, or the rows of projection_weight.
func moeGroupRouter(c *op.Call) error {
	x := c.Shape(0)
	tokens, experts := op.LeadingElements(x), x.At(-1)
	if c.Has(2) {
		if err := c.CheckRank(2, "projection_weight", 2); err != nil {
			return err
		}
		experts = c.Shape(2).At(0)
	}
	if merged, ok := op.MergeDims(experts, c.Shape(1).At(0)); ok {
		experts = merged
	} else {
		return c.Errorf(op.CodeShape, "%s experts, expert_bias has %s", experts, c.Shape(1).At(0))
	}
	shape := tensor.MakeShape(tokens, experts)
	c.Set(0, c.DType(0), shape)
	c.Set(1, onnxgraph.Float, shape)
	c.Set(2, onnxgraph.Float, shape)
	return nil
}

func moeGroupRouterMACs(c *op.Call) dim.Dim {
	if !c.Has(2) {
		return dim.Int(0)
	}
	return dim.Mul(op.LeadingElements(c.Shape(0)), c.Shape(2).Elements())
}
