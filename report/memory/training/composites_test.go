package training_test

import (
	"maps"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/training"
	"onnxmem/shapeinfer"
)

// scalars adds the numbers that the composites below are written with.
func scalars(m *modeltest.Builder) *modeltest.Builder {
	for name, v := range map[string]float32{
		"half": .5, "one": 1, "two": 2, "three": 3, "six": 6, "zero": 0, "root2": 1.4142135, "k": .044715, "root2pi": .7978846, "eps": 1e-5, "sixth": 1. / 6,
	} {
		m.Init(name, nil, []float32{v})
	}
	return m
}

// afterLinear is a model y = x w, 2x4x8 of 32 bits (256 bytes), to which a
// composite is added. The network's own input x is never counted.
func afterLinear() *modeltest.Builder {
	return scalars(modeltest.New(13)).Input("x", onnxgraph.Float, 2, 4, 8).InitZeros("w", onnxgraph.Float, 8, 8).
		Node("MatMul", []string{"x", "w"}, []string{"y"})
}

func op(m *modeltest.Builder, kind, out string, ins ...string) *modeltest.Builder {
	return m.Node(kind, ins, []string{out})
}

func simulate(t *testing.T, m *modeltest.Builder, opts training.Options) *training.Result {
	t.Helper()
	r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := training.Simulate(r, opts)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestComposites holds what the derivative of each composite keeps against
// PyTorch's derivatives.yaml, for a tensor of 256 bytes.
func TestComposites(t *testing.T) {
	kept := func(pairs ...any) map[string]int64 {
		m := map[string]int64{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = int64(pairs[i+1].(int))
		}
		return m
	}
	for _, c := range []struct {
		name  string
		build func(m *modeltest.Builder) *modeltest.Builder
		want  map[string]int64
	}{
		{"gelu, halved last", func(m *modeltest.Builder) *modeltest.Builder {
			op(m, "Div", "a", "y", "root2")
			op(m, "Erf", "b", "a")
			op(m, "Add", "c", "b", "one")
			op(m, "Mul", "d", "y", "c")
			return op(m, "Mul", "z", "d", "half")
		}, kept("Gelu", 256)},
		{"gelu, halved first", func(m *modeltest.Builder) *modeltest.Builder {
			op(m, "Div", "a", "y", "root2")
			op(m, "Erf", "b", "a")
			op(m, "Add", "c", "one", "b")
			op(m, "Mul", "d", "half", "c")
			return op(m, "Mul", "z", "y", "d")
		}, kept("Gelu", 256)},
		{"gelu with a halved input", func(m *modeltest.Builder) *modeltest.Builder {
			op(m, "Div", "a", "y", "root2")
			op(m, "Erf", "b", "a")
			op(m, "Add", "c", "b", "one")
			op(m, "Mul", "d", "y", "half")
			return op(m, "Mul", "z", "d", "c")
		}, kept("Gelu", 256)},
		{"gelu by tanh, expanded by the exporter", func(m *modeltest.Builder) *modeltest.Builder {
			op(m, "Mul", "a", "y", "y")
			op(m, "Mul", "b", "y", "a")
			op(m, "Mul", "c", "k", "b")
			op(m, "Add", "d", "y", "c")
			op(m, "Mul", "e", "root2pi", "d")
			op(m, "Tanh", "f", "e")
			op(m, "Add", "g", "one", "f")
			op(m, "Mul", "h", "y", "g")
			return op(m, "Mul", "z", "half", "h")
		}, kept("Gelu", 256)},
		// As models write it: the power keeps y, the tanh its result, and the
		// product its two operands.
		{"gelu by tanh, written out", func(m *modeltest.Builder) *modeltest.Builder {
			op(m, "Pow", "b", "y", "three")
			op(m, "Mul", "c", "k", "b")
			op(m, "Add", "d", "y", "c")
			op(m, "Mul", "e", "root2pi", "d")
			op(m, "Tanh", "f", "e")
			op(m, "Add", "g", "one", "f")
			op(m, "Mul", "h", "half", "y")
			return op(m, "Mul", "z", "h", "g")
		}, kept("Pow", 256, "Tanh", 256, "Mul", 512)},
		{"silu", func(m *modeltest.Builder) *modeltest.Builder {
			op(m, "Sigmoid", "a", "y")
			return op(m, "Mul", "z", "a", "y")
		}, kept("Silu", 256)},
		{"a gate is no silu", func(m *modeltest.Builder) *modeltest.Builder {
			op(m, "Tanh", "a", "y")
			op(m, "Sigmoid", "b", "y")
			return op(m, "Mul", "z", "a", "b")
		}, kept("Tanh", 256, "Sigmoid", 256)},
		{"mish", func(m *modeltest.Builder) *modeltest.Builder {
			op(m, "Softplus", "a", "y")
			op(m, "Tanh", "b", "a")
			return op(m, "Mul", "z", "y", "b")
		}, kept("Mish", 256)},
		{"hard-swish by clipping", func(m *modeltest.Builder) *modeltest.Builder {
			op(m, "Add", "a", "y", "three")
			op(m, "Clip", "b", "a", "zero", "six")
			op(m, "Mul", "c", "y", "b")
			return op(m, "Div", "z", "c", "six")
		}, kept("Hardswish", 256)},
		{"hard-sigmoid by clipping", func(m *modeltest.Builder) *modeltest.Builder {
			op(m, "Add", "a", "y", "three")
			op(m, "Clip", "b", "a", "zero", "six")
			return op(m, "Mul", "z", "b", "sixth")
		}, kept("Hardsigmoid", 256)},
		// The input, and mean and inverse deviation of 8 rows.
		{"layer norm", func(m *modeltest.Builder) *modeltest.Builder {
			m.InitZeros("g", onnxgraph.Float, 8).InitZeros("h", onnxgraph.Float, 8)
			m.Node("ReduceMean", []string{"y"}, []string{"a"}, modeltest.Ints("axes", -1))
			op(m, "Sub", "b", "y", "a")
			op(m, "Pow", "c", "b", "two")
			m.Node("ReduceMean", []string{"c"}, []string{"d"}, modeltest.Ints("axes", -1))
			op(m, "Add", "e", "d", "eps")
			op(m, "Sqrt", "f", "e")
			op(m, "Div", "q", "b", "f")
			op(m, "Mul", "r", "q", "g")
			return op(m, "Add", "z", "r", "h")
		}, kept("NativeLayerNorm", 256+64)},
		// The input of the power, the factor of each row, and the product that
		// the scale is multiplied with.
		{"rms norm", func(m *modeltest.Builder) *modeltest.Builder {
			m.InitZeros("g", onnxgraph.Float, 8)
			op(m, "Pow", "a", "y", "two")
			m.Node("ReduceMean", []string{"a"}, []string{"b"}, modeltest.Ints("axes", -1))
			op(m, "Add", "c", "b", "eps")
			op(m, "Sqrt", "d", "c")
			op(m, "Reciprocal", "e", "d")
			op(m, "Mul", "f", "y", "e")
			return op(m, "Mul", "z", "g", "f")
		}, kept("Pow", 256, "Rsqrt", 32, "Mul", 256)},
		// A state of zeros is made in the forward pass: 2x4x8 of 4 bytes.
		{"gated state of zeros", func(m *modeltest.Builder) *modeltest.Builder {
			m.Init("dims", []int64{3}, []int64{2, 4, 8})
			op(m, "ConstantOfShape", "c", "dims")
			return op(m, "Mul", "z", "y", "c")
		}, kept("Mul", 256)},
		// y[:, 0] is a view that keeps all of y; 2 rows of mean and deviation.
		{"normalised first token", func(m *modeltest.Builder) *modeltest.Builder {
			m.Init("first", nil, []int64{0}).InitZeros("gain", onnxgraph.Float, 8)
			m.Node("Gather", []string{"y", "first"}, []string{"t"}, modeltest.Int("axis", 1))
			return m.Opset("", 17).Node("LayerNormalization", []string{"t", "gain"}, []string{"z"})
		}, kept("NativeLayerNorm", 256+16)},
		// Queries, keys and values are views of one tensor of 2x4x8 here, as
		// is the result's 256; 2 batches x 2 heads x 32 rows (4 rounded up) of 4
		// bytes, and 16 for the generator.
		{"attention", func(m *modeltest.Builder) *modeltest.Builder {
			m.Init("heads", []int64{4}, []int64{2, 4, 2, 4}).Init("scale", nil, []float32{.7})
			op(m, "Reshape", "s", "y", "heads")
			m.Node("Transpose", []string{"s"}, []string{"q"}, modeltest.Ints("perm", 0, 2, 1, 3))
			m.Node("Transpose", []string{"s"}, []string{"kt"}, modeltest.Ints("perm", 0, 2, 3, 1))
			op(m, "Mul", "q1", "q", "scale")
			op(m, "Mul", "k1", "kt", "scale")
			op(m, "MatMul", "a", "q1", "k1")
			m.Node("Softmax", []string{"a"}, []string{"p"}, modeltest.Int("axis", -1))
			return op(m, "MatMul", "z", "p", "q")
		}, kept("ScaledDotProductEfficientAttention", 256+256+2*2*32*4+16)},
	} {
		m := c.build(afterLinear()).Output("z")
		res := simulate(t, m, training.Options{})
		if !maps.Equal(res.SavedByOp, c.want) {
			t.Errorf("%s: keeps %v, must be %v", c.name, res.SavedByOp, c.want)
		}
	}
}

// TestAsWritten trains the operators as they stand: the erf form of GELU keeps
// the quotient (erf), y and 1 + erf (product).
func TestAsWritten(t *testing.T) {
	m := afterLinear()
	op(m, "Div", "a", "y", "root2")
	op(m, "Erf", "b", "a")
	op(m, "Add", "c", "b", "one")
	op(m, "Mul", "d", "y", "c")
	op(m, "Mul", "z", "d", "half")
	res := simulate(t, m.Output("z"), training.Options{NoFusion: true})
	if res.SavedBytes != 3*256 {
		t.Errorf("keeps %d bytes %v, must be %d", res.SavedBytes, res.SavedByOp, 3*256)
	}
}

// TestAttentionByHand keeps the matrix of scores where the model must have
// written attention out: with a trained bias and one scale only. The softmax's
// result is 2x2x4x4 (256 bytes); queries and keys turned, and values, are copies
// of 256 bytes each, since heads after rows are no stack of matrices.
func TestAttentionByHand(t *testing.T) {
	m := afterLinear().Init("heads", []int64{4}, []int64{2, 4, 2, 4}).Init("scale", nil, []float32{.5}).InitZeros("bias", onnxgraph.Float, 2, 4, 4)
	op(m, "Reshape", "s", "y", "heads")
	m.Node("Transpose", []string{"s"}, []string{"q"}, modeltest.Ints("perm", 0, 2, 1, 3))
	m.Node("Transpose", []string{"s"}, []string{"kt"}, modeltest.Ints("perm", 0, 2, 3, 1))
	op(m, "MatMul", "a", "q", "kt")
	op(m, "Mul", "b", "a", "scale")
	op(m, "Add", "c", "b", "bias")
	m.Node("Softmax", []string{"c"}, []string{"p"}, modeltest.Int("axis", -1))
	op(m, "MatMul", "z", "p", "q")
	res := simulate(t, m.Output("z"), training.Options{})
	equal(t, "softmax", res.SavedByOp["Softmax"], 256)
	equal(t, "products", res.SavedByOp["Bmm"], 3*256)
	fused := simulate(t, m, training.Options{Attention: training.AttentionFused})
	equal(t, "fused", fused.SavedBytes, 256+256+2*2*32*4+16)
}
