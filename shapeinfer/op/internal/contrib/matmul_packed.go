package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/linalg"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the matrix products of com.microsoft whose weights are
// packed, so that their size comes from attributes K and N
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribPackedMatMulOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "MatMulBlockQuantizedFp4Weight", Versions: []int{1}, Infer: matMulFp4, MACs: linalg.MatMulMACs},
	{Domain: op.DomainMicrosoft, Name: "MatMulBlockQuantizedFp8Weight", Versions: []int{1}, Infer: matMulFp8, MACs: linalg.MatMulMACs},
	{Domain: op.DomainMicrosoft, Name: "MatMulBnb4", Versions: []int{1}, Infer: matMulBnb4, MACs: linalg.MatMulMACs, QuantizedWeights: true},
	{Domain: op.DomainMicrosoft, Name: "MatMulFpQ4", Versions: []int{1}, Infer: matMulFpQ4, MACs: linalg.MatMulMACs},
	{Domain: op.DomainMicrosoft, Name: "MatMulNBits", Versions: []int{1}, Infer: matMulNBits, MACs: matMulNBitsMACs, QuantizedWeights: true},
	{Domain: op.DomainMicrosoft, Name: "MatMulNBitsMlp", Versions: []int{1}, Infer: matMulNBitsMLP, MACs: matMulNBitsMLPMACs},
	{Domain: op.DomainMicrosoft, Name: "MatMulNBitsQLoRA", Versions: []int{1}, Infer: matMulNBits, MACs: matMulNBitsQLoRAMACs},
	{Domain: op.DomainMicrosoft, Name: "MatMulNBitsQkv", Versions: []int{1}, Infer: matMulNBitsQKV, MACs: matMulNBitsQKVMACs},
	{Domain: op.DomainMicrosoft, Name: "MatMulPacked", Versions: []int{1}, Infer: matMulNBits, MACs: linalg.MatMulMACs},
}

// project sets output o to input 0, ... x k, with n on the last axis.
func project(c *op.Call, o int, k, n dim.Dim) error {
	x := c.Shape(0)
	c.Set(o, c.DType(0), tensor.Shape{})
	if x.Rank() == 0 {
		return c.Errorf(op.CodeRank, "a scalar has no matrix product")
	}
	if err := c.SameSize("last axis of the input and K", x.At(-1), k); err != nil {
		return err
	}
	c.Set(o, c.DType(0), op.WithLastDim(x, n))
	return nil
}

// sizeKN are the attributes K and N.
func sizeKN(c *op.Call) (k, n dim.Dim, err error) {
	if k, err = c.SizeAttr("K"); err == nil {
		n, err = c.SizeAttr("N")
	}
	return k, n, err
}

func matMulNBits(c *op.Call) error {
	k, n, err := sizeKN(c)
	if err != nil {
		return err
	}
	return project(c, 0, k, n)
}

// matMulNBitsMACs: weights without elements stand for a projection that is
// left out.
func matMulNBitsMACs(c *op.Call) dim.Dim {
	if n, ok := c.Shape(1).Elements().Int(); ok && n == 0 {
		return dim.Int(0)
	}
	return linalg.MatMulMACs(c)
}

// matMulNBitsMLP: output 1 is the sum of A and skip.
func matMulNBitsMLP(c *op.Call) error {
	c.SetLike(1, 0)
	return matMulNBits(c)
}

func matMulNBitsMLPMACs(c *op.Call) dim.Dim { return dim.Mul(dim.Int(2), linalg.MatMulMACs(c)) }

// matMulNBitsQKV: outputs Q, K, V, and the sum of A and skip.
func matMulNBitsQKV(c *op.Call) error {
	c.SetLike(3, 0)
	k, err := c.SizeAttr("K")
	if err != nil {
		return err
	}
	for o, name := range []string{"Nq", "Nkv", "Nkv"} {
		n, err := c.SizeAttr(name)
		if err != nil {
			return err
		}
		if err := project(c, o, k, n); err != nil {
			return err
		}
	}
	return nil
}

func matMulNBitsQKVMACs(c *op.Call) dim.Dim {
	columns := dim.Add(dim.Int(c.Int("Nq", 0)), dim.Mul(dim.Int(2), dim.Int(c.Int("Nkv", 0))))
	return dim.Mul(c.Shape(0).Elements(), columns)
}

// matMulNBitsQLoRAMACs: the base K x N, and the adapter K x R and R x N, whose
// rank R is the rows of lora_A.
func matMulNBitsQLoRAMACs(c *op.Call) dim.Dim {
	k, n, rank := dim.Int(c.Int("K", 0)), dim.Int(c.Int("N", 0)), c.Shape(3).At(0)
	row := dim.Add(dim.Mul(k, n), dim.Mul(rank, dim.Add(k, n)))
	return dim.Mul(op.LeadingElements(c.Shape(0)), row)
}

// matMulBnb4: the weights are N x K, transposed unless transB is 0.
func matMulBnb4(c *op.Call) error {
	k, n, err := sizeKN(c)
	if err != nil {
		return err
	}
	if !c.Flag("transB", true) {
		k, n = n, k
	}
	return project(c, 0, k, n)
}

// matMulFpQ4: input 2 holds the sizes of the weights, K x N.
func matMulFpQ4(c *op.Call) error {
	size, n, err := c.Sizes(2, "B_shape")
	if err != nil {
		return err
	}
	if n >= 0 && n != 2 {
		return c.Errorf(op.CodeShape, "B_shape has %d numbers, not 2", n)
	}
	if n < 0 {
		size = make([]dim.Dim, 2)
	}
	if !size[1].IsKnown() {
		c.Unknown(0, "the values of B_shape are unknown")
	}
	return project(c, 0, size[0], size[1])
}

// matMulFp4: two weights a byte, N x K/2.
func matMulFp4(c *op.Call) error {
	if err := c.CheckRank(1, "B", 2); err != nil {
		return err
	}
	return project(c, 0, dim.Mul(c.Shape(1).At(1), dim.Int(2)), c.Shape(1).At(0))
}

func matMulFp8(c *op.Call) error {
	if err := c.CheckRank(1, "B", 2); err != nil {
		return err
	}
	return project(c, 0, c.Shape(1).At(1), c.Shape(1).At(0))
}

// weightsPerByte is how many weights of that many bits an element of a packed
// tensor holds.
func weightsPerByte(d onnxgraph.DType, bits int64) int64 {
	if d != onnxgraph.Uint8 || bits < 1 || bits > 8 {
		return 1
	}
	return 8 / bits
}
