package contrib

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/nn"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft.nchwc, which ONNX Runtime's
// optimizer makes of convolutions and pools on CPUs. Their tensors interleave
// the channels in blocks of 8 or 16 and have the shape of N x C x D1 ... Dn,
// with C rounded up to whole blocks
// (onnxruntime/core/graph/contrib_ops/nchwc_schema_defs.cc).
var contribNchwcOps = []op.Op{
	{Domain: op.DomainNchwc, Name: "AveragePool", Versions: []int{1}, Infer: nn.Pool},
	{Domain: op.DomainNchwc, Name: "Conv", Versions: []int{1}, Infer: convBlocked, MACs: nn.ConvMACs, Roles: op.ParametersAt(1, 2)},
	{Domain: op.DomainNchwc, Name: "GlobalAveragePool", Versions: []int{1}, Infer: nn.GlobalPool, Effect: op.Reduces},
	{Domain: op.DomainNchwc, Name: "GlobalMaxPool", Versions: []int{1}, Infer: nn.GlobalPool, Effect: op.Reduces},
	{Domain: op.DomainNchwc, Name: "MaxPool", Versions: []int{1}, Infer: nn.Pool},
	{Domain: op.DomainNchwc, Name: "ReorderInput", Versions: []int{1}, Infer: reorderInput, Effect: op.Moves},
	{Domain: op.DomainNchwc, Name: "ReorderOutput", Versions: []int{1}, Infer: reorderOutput, Effect: op.Moves},
	{Domain: op.DomainNchwc, Name: "Upsample", Versions: []int{1}, Infer: upsampleBlocked},
}

// convBlocked: input and filters may be filled up to whole blocks separately,
// so that their channels are not compared.
func convBlocked(c *op.Call) error {
	x, w := c.Shape(0), c.Shape(1)
	c.Set(0, c.DType(0), tensor.Shape{})
	rank, err := nn.ConvRank(c, x, w)
	if err != nil || rank < 0 {
		return err
	}
	window, err := nn.Window(c, rank-2)
	if err != nil {
		return err
	}
	kernel, err := nn.ConvKernel(c, &window, w, rank)
	if err != nil {
		return err
	}
	in := x.Dims()
	if in == nil {
		in = make([]dim.Dim, rank)
	}
	out := make([]dim.Dim, rank)
	out[0], out[1] = in[0], w.At(0)
	err = nn.Slide(c, &window, in[2:], kernel, out[2:])
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return err
}

// reorderInput brings the channels into blocks.
func reorderInput(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !x.Ranked() {
		return nil
	}
	if x.Rank() < 2 {
		return c.Errorf(op.CodeRank, "input %s has no batch and channels", x)
	}
	l := attributeLayout(c)
	out := make([]dim.Dim, 0, x.Rank())
	out = append(out, x.At(0), wholeBlocks(c, x.At(l.Channel(x.Rank()))))
	out = append(out, x.Dims()[l.Spatial():l.Spatial()+x.Rank()-2]...)
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// wholeBlocks rounds channels up to blocks, of 8 or 16 channels by the CPU: it
// is known only where both give the same.
func wholeBlocks(c *op.Call, channels dim.Dim) dim.Dim {
	up := func(block int64) dim.Dim {
		return dim.Mul(dim.CeilDiv(channels, dim.Int(block)), dim.Int(block))
	}
	small, large := up(8), up(16)
	if dim.Equal(small, large) {
		return small
	}
	c.Unknown(0, "the channels are rounded up to blocks of 8 or of 16, by the CPU")
	return dim.Unknown()
}

// reorderOutput leaves the blocks again; the attribute channels says how many
// of them count.
func reorderOutput(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	channels, err := c.SizeAttr("channels")
	if err != nil || !x.Ranked() {
		return err
	}
	if x.Rank() < 2 {
		return c.Errorf(op.CodeRank, "input %s has no batch and channels", x)
	}
	l := attributeLayout(c)
	out := make([]dim.Dim, x.Rank())
	out[0], out[l.Channel(x.Rank())] = x.At(0), channels
	copy(out[l.Spatial():l.Spatial()+x.Rank()-2], x.Dims()[2:])
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// upsampleBlocked multiplies every axis by its whole number in the attribute
// scales.
func upsampleBlocked(c *op.Call) error {
	x, scales := c.Shape(0), c.IntList("scales")
	c.Set(0, c.DType(0), tensor.Shape{})
	if !x.Ranked() || scales == nil {
		return nil
	}
	if len(scales) != x.Rank() {
		return c.Errorf(op.CodeAttribute, "scales has %d numbers, the input has rank %d", len(scales), x.Rank())
	}
	out := x.Clone()
	for i, s := range scales {
		if s < 1 {
			return c.Errorf(op.CodeAttribute, "scales holds %d", s)
		}
		d, err := c.Product("an upsampled axis", out[i], dim.Int(s))
		if err != nil {
			return err
		}
		out[i] = d
	}
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}
