package tape

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
)

// record puts the operators of one node on the tape.
func (r *recorder) record(i nodeID) {
	n := r.g.nodes.At(i)
	if r.groups.skip.Get(i) {
		return
	}
	r.node, r.missing = n, valueID{}
	if c := r.groups.at.Get(i); c != nil {
		c(r, n)
		return
	}
	if r.plumbing(n) {
		return
	}
	for _, out := range n.outs {
		if out.None() {
			continue
		}
		if v := r.g.values.At(out); !v.known {
			r.unknownOutput(v)
			return
		}
	}
	if len(n.outs) == 0 || n.outs[0].None() {
		return
	}
	if f, ok := rules[n.op]; ok && r.complete(n) {
		f(r, n)
		return
	}
	r.other(n)
}

// complete reports whether a node has the operands that its rule takes for
// granted, which a wrong file may leave out.
func (r *recorder) complete(n *node) bool {
	for i := range max(least[n.op], 1) {
		if r.operand(n, i).None() {
			return false
		}
	}
	return true
}

// least is the number of operands that operators cannot do without, where it
// is not one.
var least = map[string]int{
	"Add": 2, "Sub": 2, "Mul": 2, "Div": 2, "Pow": 2, "PRelu": 2, "Where": 3, "MatMul": 2, "Gemm": 2, "Conv": 2, "ConvTranspose": 2,
	"Gather": 2, "GatherElements": 2, "GatherND": 2, "ScatterElements": 3, "ScatterND": 3, "Scatter": 3, "Compress": 2, "OneHot": 2, "GridSample": 2,
	"Attention": 3, "RMSNormalization": 2, "SimplifiedLayerNormalization": 2,
	"com.microsoft::MultiHeadAttention": 1, "com.microsoft::FusedConv": 2, "com.microsoft::FusedMatMul": 2, "com.microsoft::FusedGemm": 2,
	"com.microsoft::SkipLayerNormalization": 2, "com.microsoft::SkipSimplifiedLayerNormalization": 3, "com.microsoft::Attention": 2,
}

func (r *recorder) unknownOutput(v *value) {
	if v.fact.Type.Kind != onnxgraph.KindUnset && !v.fact.Type.IsTensor() {
		r.fail(finding.TrainingNoTensor, func(f *finding.Finding) { f.Tensor = v.name })
		return
	}
	r.fail(finding.TrainingShapeUnknown, func(f *finding.Finding) { f.Tensor, f.Detail = v.name, v.fact.Reason })
}

// plumbing handles nodes that cost nothing: constants, and integer and boolean
// tensors, which steer shapes or say which element to read. It reports whether
// the node was one.
func (r *recorder) plumbing(n *node) bool {
	float := false
	for _, out := range n.outs {
		if !out.None() && (isReal(r.g.values.At(out).dtype) || r.g.values.At(out).dtype == onnxgraph.Undefined) {
			float = true
		}
	}
	touches := false
	for _, in := range n.ins {
		touches = touches || !in.None() && r.needs(r.known(in))
	}
	if float && (touches || !r.allConstant(n)) {
		return false
	}
	if n.op == "TopK" && touches || len(n.bodies) > 0 {
		return false
	}
	for k, out := range n.outs {
		if out.None() || !r.vars.Get(out).None() {
			continue
		}
		v := r.g.values.At(out)
		switch {
		case k == 0 && n.op == "Expand" && v.known && !isReal(v.dtype) && !r.operand(n, 0).None():
			x := r.operand(n, 0)
			expanded := r.variable(r.at(x).Expanded(v.dims), false)
			r.expanded[expanded] = x
			r.vars.Set(out, expanded)
		case v.constant && n.op == "ConstantOfShape" && v.known && isReal(v.dtype) && product64(v.dims) > 1:
			// torch.zeros in the forward pass: on the device once a derivative keeps it.
			r.vars.Set(out, r.variable(Tensor{Dims: v.dims, Strides: contiguousStrides(v.dims), Size: r.elementBytes(v.dtype)}, false))
		case v.constant:
			r.vars.Set(out, r.constant(v))
		case k == 0 && (n.isView() || n.op == "Cast") && v.known && !r.operand(n, 0).None() && !isReal(r.g.values.At(n.ins[0]).dtype) && !isReal(v.dtype):
			t := r.at(r.operand(n, 0)).Tensor
			t.Dims, t.Strides = v.dims, contiguousStrides(v.dims)
			r.vars.Set(out, r.variable(t, false))
		case v.known:
			r.vars.Set(out, r.variable(Tensor{Dims: v.dims, Strides: contiguousStrides(v.dims), Size: r.elementBytes(v.dtype)}, false))
		}
	}
	return true
}

func (r *recorder) allConstant(n *node) bool {
	for _, out := range n.outs {
		if !out.None() && !r.g.values.At(out).constant {
			return false
		}
	}
	return true
}

// A rule puts an ONNX operator on the tape as the framework runs it.
type rule func(*recorder, *node)

// rules are the operators by name, with the domain before it outside ai.onnx.
// What each keeps is PyTorch's tools/autograd/derivatives.yaml.
var rules = joined(activationRules, elementwiseRules, linearRules, convolutionRules, normRules, poolRules, viewRules, reduceRules, indexRules, attentionRules, recurrentRules, fusedRules, quantizedRules)

func joined(tables ...map[string]rule) map[string]rule {
	all := map[string]rule{}
	for _, t := range tables {
		for name, f := range t {
			all[name] = f
		}
	}
	return all
}

// other handles an operator without a rule: its derivative is taken to keep
// all it reads and makes, which is at least what any derivative needs.
func (r *recorder) other(n *node) {
	if n.scope.Nodes[n.index].Op == nil {
		r.fail(finding.TrainingUnknownOp, func(f *finding.Finding) { f.Op = n.op })
		return
	}
	if len(n.bodies) > 0 {
		r.fail(finding.TrainingControlFlow, func(f *finding.Finding) { f.Op = n.op })
		return
	}
	op := Op{Kind: n.op}
	for i := range n.ins {
		v := r.operand(n, i)
		if v.None() {
			continue
		}
		op.In = append(op.In, v)
		op.Saved = append(op.Saved, r.hold(v))
		op.Grads = append(op.Grads, Grad{To: v, Rule: Fresh})
	}
	var outs []Tensor
	for _, out := range n.outs {
		if !out.None() {
			t := r.dense(r.g.values.At(out).dims, r.elementBytes(r.g.values.At(out).dtype))
			outs = append(outs, t)
			op.Saved = append(op.Saved, t.Storage)
		}
	}
	r.emit(op, outs...)
	if r.t.Ops[len(r.t.Ops)-1].Kind != "" {
		r.noteOnce(about(finding.DerivativeAssumed, n.op))
	}
	r.bindOutputs(n)
}
