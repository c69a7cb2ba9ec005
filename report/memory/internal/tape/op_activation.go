package tape

import "onnxmem/report/finding"

// activationRules are the functions of one tensor, element by element or along
// an axis. Each keeps its result or its input, whichever its derivative is
// written in.
var activationRules = map[string]rule{
	"Relu":        inPlaceUnary("Relu", true, InPlaceAuto),
	"Sigmoid":     unary("Sigmoid", true, 0),
	"Tanh":        unary("Tanh", true, 0),
	"Exp":         single(unary("Exp", true, 0)),
	"Sqrt":        unary("Sqrt", true, 1),
	"Reciprocal":  single(unary("Reciprocal", true, 2)),
	"Softmax":     single(softmax("Softmax")),
	"LogSoftmax":  single(softmax("LogSoftmax")),
	"LeakyRelu":   inPlaceUnary("LeakyRelu", false, InPlaceAuto),
	"Elu":         inPlaceUnary("Elu", false, InPlaceOn),
	"Selu":        inPlaceUnary("Elu", false, InPlaceOn),
	"Celu":        inPlaceUnary("Elu", false, InPlaceOn),
	"Gelu":        unary("Gelu", false, 0),
	"Swish":       unary("Silu", false, 0),
	"Mish":        unary("Mish", false, 0),
	"HardSwish":   unary("Hardswish", false, 0),
	"HardSigmoid": unary("Hardsigmoid", false, 0),
	"Softplus":    single(unary("Softplus", false, 0)),
	"Erf":         unary("Erf", false, 1),
	"Log":         single(unary("Log", false, 0)),
	"Sin":         unary("Sin", false, 1),
	"Cos":         unary("Cos", false, 1),
	"Tan":         unary("Tan", true, 1),
	"Asin":        unary("Asin", false, 1),
	"Acos":        unary("Acos", false, 1),
	"Atan":        unary("Atan", false, 1),
	"Sinh":        unary("Sinh", false, 1),
	"Cosh":        unary("Cosh", false, 1),
	"Asinh":       unary("Asinh", false, 1),
	"Acosh":       unary("Acosh", false, 1),
	"Atanh":       unary("Atanh", false, 1),
	"Abs":         unary("Abs", false, 1),
	"Shrink":      unary("Hardshrink", false, 0),
	"Clip":        unary("Hardtanh", false, 0),

	"ThresholdedRelu": unary("Threshold", false, 0),
	"Softsign":        softsign,
	"Neg":             plain("Neg"),
	"Floor":           plain("Floor"),
	"Ceil":            plain("Ceil"),
	"Round":           plain("Round"),
	"Sign":            plain("Sign"),
	"Hardmax":         plain("Hardmax"),
	"Identity":        alias,
	"Dropout":         dropout,
}

// unary is a function that keeps its result, or its input. scratch counts the
// tensors of its size that the derivative's formula needs at one time beside
// what it returns.
func unary(kind string, keepsResult bool, scratch int64) rule {
	return func(r *recorder, n *node) {
		x := r.operand(n, 0)
		r.bind(n, 0, r.unary(kind, x, keepsResult, scratch, false))
	}
}

// inPlaceUnary is a function that frameworks can run over its input: it keeps
// its result either way, or in place only. from is the setting from which it
// does so: of rectifiers networks of convolutions ask for it as a rule, of
// exponential units they seldom do.
func inPlaceUnary(kind string, keepsResult bool, from InPlace) rule {
	return func(r *recorder, n *node) {
		x := r.operand(n, 0)
		over := (from == InPlaceAuto || r.opts.InPlace == InPlaceOn) && r.overwrites(n)
		if over && !keepsResult && r.opts.InPlace == InPlaceAuto {
			r.noteOnce(about(finding.InPlaceAssumed, n.op))
		}
		scratch := int64(0)
		if over && r.g.nodes.At(r.g.values.At(n.in(0)).producer).op == "InstanceNormalization" {
			scratch = viewScratch
		}
		r.bind(n, 0, r.unary(kind, x, keepsResult || over, scratch, over))
	}
}

// viewScratch counts the tensors that the derivative takes beside its operand
// and result where an activation wrote over a view: CopySlices
// (torch/csrc/autograd/functions/tensor.cpp) copies the whole gradient and then
// the part of the view. torch.instance_norm returns one: it normalises a batch
// of one image with all channels, and views that as the images again
// (aten/src/ATen/native/Normalization.cpp).
const viewScratch = 2

func (r *recorder) unary(kind string, x VarID, keepsResult bool, scratch int64, over bool) VarID {
	t := r.at(x).Tensor
	out := t
	if !over {
		out = r.like(&t, t.Size)
	}
	op := Op{Kind: kind, In: []VarID{x}, BackwardScratch: scratch * t.Bytes(), Grads: []Grad{{To: x, Rule: Fresh}}}
	if keepsResult {
		op.Saved = []StorageID{out.Storage}
	} else {
		op.Saved = []StorageID{r.hold(x)}
	}
	return r.emit(op, out)
}

// overwrites decides whether an activation runs in place: nobody else reads
// its input, and, unless asked for everywhere, the operator before it is one
// after which networks are written so.
func (r *recorder) overwrites(n *node) bool {
	in := n.in(0)
	if r.opts.InPlace == InPlaceOff || in.None() || len(r.g.values.At(in).users) != 1 || r.g.values.At(in).output {
		return false
	}
	x := r.at(r.vars.Get(in))
	if x.Storage.None() || r.t.Storages.At(x.Storage).Kind != Made || r.g.values.At(in).producer.None() {
		return false
	}
	maker := r.g.nodes.At(r.g.values.At(in).producer).op
	return r.opts.InPlace == InPlaceOn && !keepsItsResult[maker] || normalised[maker]
}

// normalised lists operators that a ReLU in place follows.
var normalised = map[string]bool{
	"Conv": true, "ConvTranspose": true, "Gemm": true, "Add": true, "BatchNormalization": true,
	"InstanceNormalization": true, "GroupNormalization": true,
}

// keepsItsResult lists operators whose result must not be written over.
var keepsItsResult = map[string]bool{
	"Relu": true, "Sigmoid": true, "Tanh": true, "Exp": true, "Sqrt": true, "Reciprocal": true, "Softmax": true, "LogSoftmax": true,
	"Reshape": true, "Transpose": true, "Squeeze": true, "Unsqueeze": true, "Slice": true, "Split": true, "Flatten": true, "Identity": true, "Expand": true,
}

// single runs in 32 bits under autocast.
func single(f rule) rule {
	return func(r *recorder, n *node) {
		if r.opts.Autocast && !n.in(0).None() {
			if x := r.operand(n, 0); !x.None() && r.at(x).Size == 2 {
				wide := r.cast(x, 4)
				old := r.vars.Get(n.ins[0])
				r.vars.Set(n.ins[0], wide)
				f(r, n)
				r.vars.Set(n.ins[0], old)
				return
			}
		}
		f(r, n)
	}
}

func softmax(kind string) rule {
	return func(r *recorder, n *node) { r.bind(n, 0, r.softmax(kind, r.operand(n, 0))) }
}

func (r *recorder) softmax(kind string, x VarID) VarID { return r.unary(kind, x, true, 0, false) }

// softsign is x / (1 + |x|), which the framework writes out.
func softsign(r *recorder, n *node) {
	x := r.operand(n, 0)
	t := r.at(x).Tensor
	below := r.like(&t, t.Size)
	out := r.like(&t, t.Size)
	r.bind(n, 0, r.emit(Op{Kind: "Div", In: []VarID{x}, Saved: []StorageID{r.hold(x), below.Storage}, BackwardScratch: t.Bytes(), Grads: []Grad{{To: x, Rule: Fresh}}}, out))
}

// plain is a function whose derivative needs nothing.
func plain(kind string) rule {
	return func(r *recorder, n *node) {
		x := r.operand(n, 0)
		t := r.at(x).Tensor
		r.bind(n, 0, r.emit(Op{Kind: kind, In: []VarID{x}, Grads: []Grad{{To: x, Rule: Fresh}}}, r.like(&t, t.Size)))
	}
}

// alias hands a tensor on.
func alias(r *recorder, n *node) { r.bind(n, 0, r.operand(n, 0)) }

// dropout of an export that has it: only in training does it do anything.
func dropout(r *recorder, n *node) {
	x := r.operand(n, 0)
	if r.opts.Dropout < 0 || !r.g.drops(n) {
		r.bind(n, 0, x)
		return
	}
	r.bind(n, 0, r.dropout(x))
}

// drops reports whether a Dropout makes a mask: at a ratio of 0 the framework
// hands its input on. The ratio is an attribute before opset 12, then an input.
func (g *graph) drops(n *node) bool {
	if n.in(1).None() {
		return n.floatAttr("ratio", 0.5) != 0
	}
	ratio, known := g.number(n.in(1))
	return !known || ratio != 0
}

// dropout keeps a mask of one byte an element.
func (r *recorder) dropout(x VarID) VarID {
	t := r.at(x).Tensor
	out := r.like(&t, t.Size)
	mask := r.small(t.Elements())
	r.t.Storages.At(mask).Mask = true
	return r.emit(Op{Kind: "NativeDropout", In: []VarID{x}, Saved: []StorageID{mask}, Grads: []Grad{{To: x, Rule: Fresh}}}, out)
}

// cast copies a tensor into elements of another size.
func (r *recorder) cast(x VarID, size int64) VarID {
	v := r.at(x)
	if v.Size == size {
		return x
	}
	if !v.Param.None() {
		if half, ok := r.halves[x]; ok {
			return half
		}
	}
	t := v.Tensor
	param := !v.Param.None()
	out := r.like(&t, size)
	op := Op{Kind: "ToCopy", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Fresh}}}
	if param {
		op.Once = []StorageID{out.Storage}
	}
	c := r.emit(op, out)
	if param {
		r.halves[x] = c
	}
	return c
}
