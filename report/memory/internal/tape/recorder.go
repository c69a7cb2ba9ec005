package tape

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
	"onnxmem/report/memory/internal/ref"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// Limits above which sizes are not followed: dims of a hostile file multiply
// to anything. Below them no sum over a tape overflows.
const (
	maxTensorBytes = 1 << 50
	maxTotalBytes  = 1 << 58
)

// leastTable is the number of elements from which a constant that does not
// train counts among the buffers. Modules register tables of positions and masks
// as buffers, which lie on the device; smaller constants are mostly numbers of
// the program. What is below takes a block of 512 bytes at most, the least that
// an allocator hands out.
const leastTable = 128

// A recorder makes the tape of a graph, node by node.
type recorder struct {
	g    *graph
	t    *Tape
	opts Options

	vars    ref.Table[value, VarID]
	groups  *groups
	weights map[*onnxgraph.Tensor]*weights.Tensor
	params  map[*onnxgraph.Tensor]VarID
	folded  map[*onnxgraph.Tensor]*weights.FoldedBatchNorm
	// expanded are integers that repeat others, whose memory they share.
	expanded map[VarID]VarID
	tied     map[valueID]VarID           // copies of parameters that the file has transposed
	normed   map[*onnxgraph.Tensor]int64 // rows of weights that are made in each forward pass
	halves   map[VarID]VarID             // parameters in 16 bits, under autocast
	bnDone   map[*onnxgraph.Tensor]foldedNorm
	made     []StorageID // since the last operator
	total    int64
	node     *node   // under way
	missing  valueID // that the node asked for and that nothing makes
	err      *UnknownError
	noted    map[notedKey]bool // what was said already

	drops    map[valueID]bool // values after which there is a dropout
	dropping bool             // attention has one, too
}

// Record makes the tape of an inferred model. The error is an *UnknownError.
func Record(result *shapeinfer.Result, w *weights.Set, opts Options) (*Tape, error) {
	g, err := flatten(result)
	if err != nil {
		return nil, err
	}
	r := &recorder{
		g: g, t: &Tape{}, opts: opts,
		vars:     ref.TableOf[value, VarID](&g.values),
		weights:  map[*onnxgraph.Tensor]*weights.Tensor{},
		params:   map[*onnxgraph.Tensor]VarID{},
		folded:   map[*onnxgraph.Tensor]*weights.FoldedBatchNorm{},
		expanded: map[VarID]VarID{},
		tied:     map[valueID]VarID{},
		normed:   map[*onnxgraph.Tensor]int64{},
		halves:   map[VarID]VarID{},
		bnDone:   map[*onnxgraph.Tensor]foldedNorm{},
		noted:    map[notedKey]bool{},
	}
	for i := range w.Tensors {
		if t := w.Tensors[i].Tensor; t != nil {
			r.weights[t] = &w.Tensors[i]
		}
	}
	for i := range w.Folded {
		r.folded[w.Folded[i].Weight] = &w.Folded[i]
	}
	for _, n := range w.Normed {
		r.normed[n.Weight] = n.Rows
	}
	r.enter(w)
	r.groups = recognise(r)
	r.follow()
	if r.err != nil {
		return nil, r.err
	}
	r.leave()
	return r.t, nil
}

// enter makes the tensors that exist before the forward pass: parameters,
// buffers, inputs.
func (r *recorder) enter(w *weights.Set) {
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if n, ok := onnxgraph.ElementCount(t.Dims); !ok || n > maxTensorBytes {
			r.fail(finding.TrainingTooLarge, func(f *finding.Finding) { f.Tensor = t.Name })
			return
		}
		switch {
		case (t.Role == weights.Trainable || t.Role == weights.Frozen) && t.Tensor != nil && isReal(t.DType):
			trains := t.Role == weights.Trainable && r.opts.LoRARank == 0
			if t.DType.Bits() == 16 && !r.opts.Half {
				r.noteOnce(finding.New(finding.Stored16Bit))
			}
			r.params[t.Tensor] = r.param(t.Name, t.Tensor.Dims, r.elementBytes(t.DType), trains)
		case t.Role == weights.Tied:
			// The module has its original only.
		case t.Role == weights.Buffer && isReal(t.DType):
			r.t.BufferBytes += t.Elements * r.elementBytes(t.DType)
		case t.Role == weights.Buffer, t.Elements >= leastTable:
			r.t.BufferBytes += t.Bytes
		}
	}
	for _, id := range r.g.inputs {
		v := r.g.values.At(id)
		if !v.known {
			r.unknownInput(v)
			return
		}
		s := r.storage(product64(v.dims)*r.elementBytes(v.dtype), Input)
		r.t.InputBytes += r.t.Storages.At(s).Bytes
		r.t.Inputs = append(r.t.Inputs, s)
		r.vars.Set(id, r.variable(Tensor{Dims: v.dims, Strides: contiguousStrides(v.dims), Storage: s, Size: r.elementBytes(v.dtype)}, false))
	}
	for id, v := range r.g.values.All() {
		if v.stored == nil {
			continue
		}
		if w := r.weights[v.stored]; w != nil && w.Original != nil {
			if p, ok := r.params[w.Original]; ok && !w.Transposed {
				r.vars.Set(id, p)
			} else if ok {
				r.tied[id] = p // seen transposed where it is first read
			}
			continue
		}
		if p, ok := r.params[v.stored]; ok {
			r.vars.Set(id, p)
			continue
		}
		r.vars.Set(id, r.constant(v))
	}
	r.made = nil
}

func (r *recorder) unknownInput(v *value) {
	code := finding.TrainingShapeUnknown
	if !v.fact.Type.IsTensor() {
		code = finding.TrainingNoTensor
	}
	r.err = unknown(code, func(f *finding.Finding) { f.Tensor, f.Detail = v.name, v.fact.Reason })
}

// product64 multiplies dims and stops at the largest size that is followed.
func product64(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		if d == 0 {
			return 0
		}
		if d < 0 || n > maxTensorBytes/d {
			n = maxTensorBytes
			continue
		}
		n *= d
	}
	return n
}

// param adds a parameter.
func (r *recorder) param(name string, dims []int64, size int64, trains bool) VarID {
	bytes := product64(dims) * size
	s := r.storage(bytes, Parameter)
	r.t.ParameterBytes += bytes
	v := r.variable(Tensor{Dims: dims, Strides: contiguousStrides(dims), Storage: s, Size: size}, trains)
	r.t.Vars.At(v).Param = r.t.Params.Add(Param{Name: name, Var: v, Dims: dims, Trains: trains, Bytes: bytes})
	return v
}

// constant is a tensor that the program holds and that costs nothing more.
func (r *recorder) constant(v *value) VarID {
	dims := v.dims
	if !v.known && v.stored != nil {
		dims = v.stored.Dims
	}
	s := r.storage(0, Constant)
	return r.variable(Tensor{Dims: dims, Strides: contiguousStrides(dims), Storage: s, Size: r.elementBytes(v.dtype)}, false)
}

func (r *recorder) storage(bytes int64, k Kind) StorageID {
	r.count(&bytes)
	id := r.t.Storages.Add(Storage{Bytes: bytes, Kind: k})
	if k == Made {
		r.made = append(r.made, id)
	}
	return id
}

// count adds to the bytes of all tensors, views too, since each may get a
// gradient of its size. What is above the limits fails and counts as nothing.
func (r *recorder) count(bytes *int64) {
	if *bytes < 0 || *bytes > maxTensorBytes || r.total > maxTotalBytes {
		r.fail(finding.TrainingTooLarge, nil)
		*bytes = 0
	}
	r.total += *bytes
}

func (r *recorder) variable(t Tensor, needs bool) VarID {
	bytes := product64(t.Dims) * t.Size
	r.count(&bytes)
	return r.t.Vars.Add(Var{Tensor: t, NeedsGrad: needs})
}

func (r *recorder) fail(c finding.Code, set func(*finding.Finding)) {
	if r.err != nil {
		return
	}
	r.err = unknown(c, set)
	if r.node != nil {
		r.err.Node = r.node.label()
	}
}

// dense is a new row-major tensor.
func (r *recorder) dense(dims []int64, size int64) Tensor {
	return Tensor{Dims: dims, Strides: contiguousStrides(dims), Storage: r.storage(product64(dims)*size, Made), Size: size}
}

// like is a new tensor of the same dims and order of axes.
func (r *recorder) like(t *Tensor, size int64) Tensor {
	return Tensor{Dims: t.Dims, Strides: likeStrides(t), Storage: r.storage(product64(t.Dims)*size, Made), Size: size}
}

// isConstant reports whether a tensor is part of the program and takes no
// memory of its own.
func (r *recorder) isConstant(v VarID) bool {
	s := r.at(v).Storage
	return !s.None() && r.t.Storages.At(s).Kind == Constant
}

// at is a variable that must be there. Where the file gives none, the model is
// not followed any further: what comes after would stand on nothing.
func (r *recorder) at(v VarID) *Var {
	if v.None() {
		panic(errNoOperand)
	}
	return r.t.Vars.At(v)
}

// errNoOperand leaves the rule of an operator for [recorder.follow].
var errNoOperand = errors.New("an operand has no value")

// follow records one node after the other, up to the first that cannot be.
func (r *recorder) follow() {
	defer func() {
		switch p := recover(); p {
		case nil:
		case errNoOperand:
			r.fail(finding.TrainingMissingInput, r.missingOperand)
		default:
			panic(p)
		}
	}()
	for i := range r.g.nodes.All() {
		if r.err != nil {
			return
		}
		r.record(i)
	}
}

// missingOperand says which operand of the node under way has no value.
func (r *recorder) missingOperand(f *finding.Finding) {
	f.Op = r.node.op
	if !r.missing.None() {
		f.Tensor = r.g.values.At(r.missing).name
	}
}

func (r *recorder) needs(v VarID) bool { return !v.None() && r.t.Vars.At(v).NeedsGrad }

// emit adds an operator. Where no operand needs a gradient it leaves no node
// in autograd's graph, and keeps nothing.
func (r *recorder) emit(op Op, outs ...Tensor) VarID {
	needs := false
	for _, g := range op.Grads {
		needs = needs || r.needs(g.To)
	}
	op.Scope, op.Node, op.Root, op.Path = r.node.scope, r.node.index, r.node.root, r.node.path
	op.Made, r.made = r.made, nil
	for _, t := range outs {
		op.Out = append(op.Out, r.variable(t, needs))
	}
	if !needs {
		op.Kind, op.Grads, op.Saved = "", nil, nil
	}
	r.keep(&op)
	r.t.Ops = append(r.t.Ops, op)
	if len(op.Out) == 0 {
		return VarID{}
	}
	return op.Out[0]
}

// keep drops what is not worth keeping: gradients that nobody needs, and what
// lives anyway.
func (r *recorder) keep(op *Op) {
	grads := op.Grads[:0]
	for _, g := range op.Grads {
		if r.needs(g.To) {
			grads = append(grads, g)
		}
	}
	op.Grads = grads
	saved := op.Saved[:0]
	for i, s := range op.Saved {
		if s.None() || r.t.Storages.At(s).Kind != Made || containsStorage(op.Saved[:i], s) {
			continue
		}
		saved = append(saved, s)
	}
	op.Saved = saved
}

func containsStorage(list []StorageID, s StorageID) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// small adds a storage for what an operator keeps beside tensors.
func (r *recorder) small(bytes int64) StorageID { return r.storage(bytes, Made) }

// hold is the storage of an operand that a derivative keeps. Integers have
// none until somebody keeps them: what steers shapes is not on any device.
func (r *recorder) hold(v VarID) StorageID {
	if v.None() {
		return StorageID{}
	}
	if of, ok := r.expanded[v]; ok {
		return r.hold(of)
	}
	x := r.at(v)
	if x.Storage.None() {
		x.Storage = r.storage(x.Bytes(), Made)
	}
	return x.Storage
}

// operand is the variable of input i of the node, none where it is left out.
func (r *recorder) operand(n *node, i int) VarID {
	if v := n.in(i); !v.None() {
		return r.of(v)
	}
	return VarID{}
}

// known is the variable of a value as far as it is there already; of a transposed
// copy it is the parameter.
func (r *recorder) known(v valueID) VarID {
	if x := r.vars.Get(v); !x.None() {
		return x
	}
	return r.tied[v]
}

// of is the variable of a value.
func (r *recorder) of(v valueID) VarID {
	if v.None() {
		return VarID{}
	}
	if p, ok := r.tied[v]; ok && r.vars.Get(v).None() {
		r.vars.Set(v, r.turned(p))
	}
	if r.vars.Get(v).None() && r.g.values.At(v).constant {
		r.vars.Set(v, r.constant(r.g.values.At(v)))
	}
	x := r.vars.Get(v)
	if x.None() {
		r.missing = v
	}
	return x
}

// bind makes a variable stand for output i of a node.
func (r *recorder) bind(n *node, i int, v VarID) {
	if i < len(n.outs) && !n.outs[i].None() {
		if !v.None() && r.drops[n.outs[i]] {
			v = r.dropout(v)
		}
		r.vars.Set(n.outs[i], v)
	}
}

// bindOutputs makes the results of the last operator stand for the outputs of
// a node that are not left out, in order.
func (r *recorder) bindOutputs(n *node) {
	results := r.t.Ops[len(r.t.Ops)-1].Out
	for i, out := range n.outs {
		if !out.None() && len(results) > 0 {
			r.bind(n, i, results[0])
			results = results[1:]
		}
	}
}

// leave lists the outputs, over which the loss is taken.
func (r *recorder) leave() {
	for _, id := range r.g.outputs {
		if id.None() || r.vars.Get(id).None() || !isReal(r.g.values.At(id).dtype) || r.groups.cache[id] {
			continue
		}
		r.t.Outputs = append(r.t.Outputs, r.vars.Get(id))
	}
	r.sortParams()
}

// sortParams puts parameters in the order of their first use, which is the
// order in which modules register them; the file's is the exporter's own.
func (r *recorder) sortParams() {
	first := ref.TableOf[Param, int](&r.t.Params)
	var order []ParamID
	for p := range r.t.Params.All() {
		first.Set(p, len(r.t.Ops))
		order = append(order, p)
	}
	for i := len(r.t.Ops) - 1; i >= 0; i-- {
		for _, v := range r.t.Ops[i].In {
			first.Set(r.t.Vars.At(v).Param, i)
		}
	}
	slices.SortStableFunc(order, func(a, b ParamID) int { return cmp.Compare(first.Get(a), first.Get(b)) })
	sorted := ref.ListOf[Param](len(order))
	for _, id := range order {
		p := *r.t.Params.At(id)
		r.t.Vars.At(p.Var).Param = sorted.Add(p)
	}
	r.t.Params = sorted
}

// invalid ends the recording at a node that contradicts its operator.
func (r *recorder) invalid(format string, args ...any) {
	r.fail(finding.TrainingInvalid, func(f *finding.Finding) { f.Detail = fmt.Sprintf(format, args...) })
}

// A notedKey is what a note is about: each is given once.
type notedKey struct {
	code finding.Code
	op   string
}

// noteOnce adds a finding, once however often it comes up.
func (r *recorder) noteOnce(f finding.Finding) {
	if key := (notedKey{f.Code, f.Op}); !r.noted[key] {
		r.noted[key] = true
		r.t.Notes = append(r.t.Notes, f)
	}
}

// about is a finding about an operator.
func about(c finding.Code, op string) finding.Finding {
	f := finding.New(c)
	f.Op = op
	return f
}
