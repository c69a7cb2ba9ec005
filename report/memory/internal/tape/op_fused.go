package tape

// fusedRules are the operators that ONNX Runtime's optimizer makes of several:
// training has the several back.
var fusedRules = map[string]rule{
	"com.microsoft::FusedConv":              fusedConvolution,
	"com.microsoft::Gelu":                   unary("Gelu", false, 0),
	"com.microsoft::QuickGelu":              unary("Silu", false, 0),
	"com.microsoft::FastGelu":               biasGelu,
	"com.microsoft::BiasGelu":               biasGelu,
	"com.microsoft::FusedMatMul":            matmul,
	"com.microsoft::FusedGemm":              gemm,
	"com.microsoft::SkipLayerNormalization": skipLayerNorm,

	"com.microsoft::SkipSimplifiedLayerNormalization": skipRMSNorm,
	"SimplifiedLayerNormalization":                    rmsNormalization,
	"com.microsoft::EmbedLayerNormalization":          embedLayerNorm,
	"com.microsoft::Attention":                        fusedSelfAttention,
	"com.microsoft::RotaryEmbedding":                  rotary,
	"RotaryEmbedding":                                 rotary,

	// The blocked layout of ONNX Runtime on the CPU; training knows none.
	"com.microsoft.nchwc::Conv":              fusedConvolution,
	"com.microsoft.nchwc::MaxPool":           maxPool,
	"com.microsoft.nchwc::AveragePool":       savingInput("AvgPool2D"),
	"com.microsoft.nchwc::GlobalAveragePool": fresh("Mean"),
	"com.microsoft.nchwc::GlobalMaxPool":     maxPool,
	"com.microsoft.nchwc::Upsample":          fresh("Upsample"),
	"com.microsoft.nchwc::ReorderInput":      alias,
	"com.microsoft.nchwc::ReorderOutput":     alias,
}

// fusedConvolution is a convolution, a sum and an activation.
func fusedConvolution(r *recorder, n *node) {
	convolution(r, n)
	y := r.of(n.outs[0])
	if y.None() {
		return
	}
	if z := r.operand(n, 3); !z.None() {
		y = r.add("Add", n, y, z)
	}
	switch activation := n.stringAttr("activation", ""); activation {
	case "":
	case "Relu":
		y = r.unary("Relu", y, true, 0, r.opts.InPlace != InPlaceOff)
	case "Sigmoid", "Tanh":
		y = r.unary(activation, y, true, 0, false)
	default: // Clip, HardSigmoid, LeakyRelu, which keep their input
		y = r.unary("Hardtanh", y, false, 0, false)
	}
	r.bind(n, 0, y)
}

func biasGelu(r *recorder, n *node) {
	x := r.operand(n, 0)
	if b := r.operand(n, 1); !b.None() {
		x = r.add("Add", n, x, b)
	}
	r.bind(n, 0, r.unary("Gelu", x, false, 0, false))
}

// skipLayerNorm is a residual sum and a LayerNorm.
func skipLayerNorm(r *recorder, n *node) {
	x := r.skipSum(n, r.operand(n, 4))
	r.bind(n, 0, r.layerNorm(n, x, r.operand(n, 2), r.operand(n, 3), int64(len(r.at(x).Dims)-1)))
}

// skipRMSNorm is a residual sum and an RMSNorm.
func skipRMSNorm(r *recorder, n *node) {
	x := r.skipSum(n, r.operand(n, 3))
	if len(r.at(x).Dims) == 0 {
		r.other(n)
		return
	}
	r.bind(n, 0, r.rmsNorm(n, x, r.operand(n, 2), int64(len(r.at(x).Dims)-1)))
}

// skipSum is the sum of the first two operands and a bias, which is output 3.
func (r *recorder) skipSum(n *node, bias VarID) VarID {
	x := r.operand(n, 0)
	if !bias.None() {
		x = r.add("Add", n, x, bias)
	}
	x = r.add("Add", n, x, r.operand(n, 1))
	r.bind(n, 3, x)
	return x
}

// embedLayerNorm is the sum of three embeddings and a LayerNorm.
func embedLayerNorm(r *recorder, n *node) {
	dims := r.g.values.At(n.outs[0]).dims
	var x VarID
	for _, pair := range [][2]int{{0, 2}, {7, 3}, {1, 4}} {
		index, table := r.operand(n, pair[0]), r.operand(n, pair[1])
		if table.None() {
			continue
		}
		op := Op{Kind: "Embedding", In: operands(table, index), Grads: []Grad{{To: table, Rule: Fresh}}}
		if !index.None() {
			op.Saved = []StorageID{r.savedIndex(index)}
		}
		e := r.emit(op, r.dense(dims, r.at(table).Size))
		if x.None() {
			x = e
			continue
		}
		x = r.add("Add", n, x, e)
	}
	if x.None() {
		r.other(n)
		return
	}
	r.bind(n, 0, r.layerNorm(n, x, r.operand(n, 5), r.operand(n, 6), int64(len(dims)-1)))
	if len(n.outs) > 2 && !n.outs[2].None() {
		r.bind(n, 2, x)
	}
	if len(n.outs) > 1 && !n.outs[1].None() {
		r.bind(n, 1, r.constant(r.g.values.At(n.outs[1])))
	}
}

// fusedSelfAttention is one projection to queries, keys and values, and
// attention.
func fusedSelfAttention(r *recorder, n *node) {
	x, w, b := r.operand(n, 0), r.operand(n, 1), r.operand(n, 2)
	xd, wd := r.at(x).Dims, r.at(w).Dims
	heads := n.intAttr("num_heads", 1)
	if len(xd) != 3 || len(wd) != 2 || wd[1]%3 != 0 {
		r.other(n)
		return
	}
	width := wd[1] / 3
	packed := r.linear(x, w, b, []int64{xd[0], xd[1], wd[1]})
	t := r.at(packed).Tensor
	part := t.Narrowed([]int64{xd[0], xd[1], width})
	r.emit(Op{Kind: "Split", In: []VarID{packed}, Grads: []Grad{{To: packed, Rule: Fresh}}}, part, part, part)
	outs := r.t.Ops[len(r.t.Ops)-1].Out
	r.bind(n, 0, r.threeDim(n, outs[0], outs[1], outs[2], heads, heads, r.g.values.At(n.outs[0]).dims))
}

// rotary turns pairs of elements by an angle: x * cos + transposed(x) * sin, which
// saves the two tables in full width.
func rotary(r *recorder, n *node) {
	x := r.operand(n, 0)
	t := r.at(x).Tensor
	op := Op{Kind: "Mul", In: operands(x), BackwardWorkspace: t.Bytes(), Grads: []Grad{{To: x, Rule: Fresh}}}
	for i := 1; i < len(n.ins); i++ {
		if v := n.in(i); !v.None() && isReal(r.g.values.At(v).dtype) && !r.operand(n, i).None() {
			table := r.operand(n, i)
			op.In, op.Saved = append(op.In, table), append(op.Saved, r.saved(table))
		}
	}
	op.Workspace = 2 * t.Bytes()
	r.bind(n, 0, r.emit(op, r.like(&t, t.Size)))
}
