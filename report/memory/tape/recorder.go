package tape

import (
	"fmt"
	"sort"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
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

	vars    []VarID // by value
	groups  *groups
	weights map[*onnxgraph.Tensor]*memory.WeightTensor
	params  map[*onnxgraph.Tensor]VarID
	folded  map[*onnxgraph.Tensor]*memory.FoldedBatchNorm
	halves  map[VarID]VarID // parameters in 16 bits, under autocast
	bnDone  map[*onnxgraph.Tensor][2]VarID
	made    []StorageID // since the last operator
	total   int64
	node    *node // under way
	err     *UnknownError
	noted   map[string]bool // what was said already

	drops    map[int32]bool // values after which there is a dropout
	dropping bool           // attention has one, too
}

// Record makes the tape of an inferred model. The error is an *UnknownError.
func Record(result *shapeinfer.Result, weights *memory.Weights, opts Options) (*Tape, error) {
	g, err := flatten(result)
	if err != nil {
		return nil, err
	}
	r := &recorder{
		g: g, t: &Tape{}, opts: opts,
		vars:    make([]VarID, len(g.values)),
		weights: map[*onnxgraph.Tensor]*memory.WeightTensor{},
		params:  map[*onnxgraph.Tensor]VarID{},
		folded:  map[*onnxgraph.Tensor]*memory.FoldedBatchNorm{},
		halves:  map[VarID]VarID{},
		bnDone:  map[*onnxgraph.Tensor][2]VarID{},
		noted:   map[string]bool{},
	}
	for i := range r.vars {
		r.vars[i] = NoVar
	}
	for i := range weights.Tensors {
		if t := weights.Tensors[i].Tensor; t != nil {
			r.weights[t] = &weights.Tensors[i]
		}
	}
	for i := range weights.Folded {
		r.folded[weights.Folded[i].Weight] = &weights.Folded[i]
	}
	r.enter(weights)
	r.groups = recognise(r)
	for i := range g.nodes {
		if r.err != nil {
			return nil, r.err
		}
		r.record(int32(i))
	}
	if r.err != nil {
		return nil, r.err
	}
	r.leave()
	return r.t, nil
}

// enter makes the tensors that exist before the forward pass: parameters,
// buffers, inputs.
func (r *recorder) enter(w *memory.Weights) {
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if n, ok := onnxgraph.ElementCount(t.Dims); !ok || n > maxTensorBytes {
			r.fail("%s has dims that no tensor can have: %v", t.Name, t.Dims)
			return
		}
		switch {
		case (t.Role == memory.Trainable || t.Role == memory.Frozen) && t.Tensor != nil && isReal(t.DType):
			trains := t.Role == memory.Trainable && r.opts.LoRARank == 0
			if t.DType.Bits() == 16 && !r.opts.Half {
				r.noteOnce("the file stores weights in 16 bits; this precision trains them in 32, and so they count: --precision bf16, fp16 or bf16-master keeps them in 16")
			}
			r.params[t.Tensor] = r.param(t.Name, t.Tensor.Dims, r.elementBytes(t.DType), trains)
		case t.Role == memory.Buffer && isReal(t.DType):
			r.t.BufferBytes += t.Elements * r.elementBytes(t.DType)
		case t.Role == memory.Buffer, t.Elements >= leastTable:
			r.t.BufferBytes += t.Bytes
		}
	}
	for _, id := range r.g.inputs {
		v := &r.g.values[id]
		if !v.known {
			r.unknownInput(v)
			return
		}
		s := r.storage(product64(v.dims)*r.elementBytes(v.dtype), Input)
		r.t.InputBytes += r.t.Storages[s].Bytes
		r.t.Inputs = append(r.t.Inputs, s)
		r.vars[id] = r.variable(Tensor{Dims: v.dims, Strides: contiguousStrides(v.dims), Storage: s, Size: r.elementBytes(v.dtype)}, false)
	}
	for id := range r.g.values {
		v := &r.g.values[id]
		if v.stored == nil {
			continue
		}
		if p, ok := r.params[v.stored]; ok {
			r.vars[id] = p
			continue
		}
		r.vars[id] = r.constant(v)
	}
	r.made = nil
}

func (r *recorder) unknownInput(v *value) {
	reason := "the shape of input " + v.name + " is not known"
	if !v.fact.Type.IsTensor() {
		reason = "input " + v.name + " is no tensor"
	}
	r.err = &UnknownError{Reason: reason}
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
	r.t.Vars[v].Param = int32(len(r.t.Params))
	r.t.Params = append(r.t.Params, Param{Name: name, Var: v, Dims: dims, Trains: trains, Bytes: bytes})
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
	r.t.Storages = append(r.t.Storages, Storage{Bytes: bytes, Kind: k})
	id := StorageID(len(r.t.Storages) - 1)
	if k == Made {
		r.made = append(r.made, id)
	}
	return id
}

// count adds to the bytes of all tensors, views too, since each may get a
// gradient of its size. What is above the limits fails and counts as nothing.
func (r *recorder) count(bytes *int64) {
	if *bytes < 0 || *bytes > maxTensorBytes || r.total > maxTotalBytes {
		r.fail("tensors are too large to add up")
		*bytes = 0
	}
	r.total += *bytes
}

func (r *recorder) variable(t Tensor, needs bool) VarID {
	bytes := product64(t.Dims) * t.Size
	r.count(&bytes)
	r.t.Vars = append(r.t.Vars, Var{Tensor: t, NeedsGrad: needs, Param: -1})
	return VarID(len(r.t.Vars) - 1)
}

func (r *recorder) fail(format string, args ...any) {
	if r.err != nil {
		return
	}
	r.err = &UnknownError{Reason: fmt.Sprintf(format, args...)}
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
	return s != NoStorage && r.t.Storages[s].Kind == Constant
}

func (r *recorder) at(v VarID) *Var { return &r.t.Vars[v] }

func (r *recorder) needs(v VarID) bool { return v != NoVar && r.t.Vars[v].NeedsGrad }

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
		return NoVar
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
		if s == NoStorage || r.t.Storages[s].Kind != Made || containsStorage(op.Saved[:i], s) {
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
	if v == NoVar {
		return NoStorage
	}
	x := r.at(v)
	if x.Storage == NoStorage {
		x.Storage = r.storage(x.Bytes(), Made)
	}
	return x.Storage
}

// operand is the variable of input i of the node, NoVar where it is left out.
func (r *recorder) operand(n *node, i int) VarID {
	if v := n.in(i); v != none {
		return r.of(v)
	}
	return NoVar
}

// of is the variable of a value.
func (r *recorder) of(v int32) VarID {
	if v == none {
		return NoVar
	}
	if r.vars[v] == NoVar && r.g.values[v].constant {
		r.vars[v] = r.constant(&r.g.values[v])
	}
	return r.vars[v]
}

// bind makes a variable stand for output i of a node.
func (r *recorder) bind(n *node, i int, v VarID) {
	if i < len(n.outs) && n.outs[i] != none {
		if v != NoVar && r.drops[n.outs[i]] {
			v = r.dropout(v)
		}
		r.vars[n.outs[i]] = v
	}
}

// bindOutputs makes the results of the last operator stand for the outputs of
// a node that are not left out, in order.
func (r *recorder) bindOutputs(n *node) {
	results := r.t.Ops[len(r.t.Ops)-1].Out
	for i, out := range n.outs {
		if out != none && len(results) > 0 {
			r.bind(n, i, results[0])
			results = results[1:]
		}
	}
}

// leave lists the outputs, over which the loss is taken.
func (r *recorder) leave() {
	for _, id := range r.g.outputs {
		if id == none || r.vars[id] == NoVar || !isReal(r.g.values[id].dtype) || r.groups.cache[id] {
			continue
		}
		r.t.Outputs = append(r.t.Outputs, r.vars[id])
	}
	r.sortParams()
}

// sortParams puts parameters in the order of their first use, which is the
// order in which modules register them; the file's is the exporter's own.
func (r *recorder) sortParams() {
	first := make([]int, len(r.t.Params))
	for i := range first {
		first[i] = len(r.t.Ops)
	}
	for i := len(r.t.Ops) - 1; i >= 0; i-- {
		for _, v := range r.t.Ops[i].In {
			if p := r.t.Vars[v].Param; p >= 0 {
				first[p] = i
			}
		}
	}
	order := make([]int, len(first))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return first[order[a]] < first[order[b]] })
	sorted := make([]Param, len(order))
	for i, k := range order {
		sorted[i] = r.t.Params[k]
		r.t.Vars[sorted[i].Var].Param = int32(i)
	}
	r.t.Params = sorted
}

// noteOnce tells the user something, once however often it comes up.
func (r *recorder) noteOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !r.noted[text] {
		r.noted[text] = true
		r.t.Notes = append(r.t.Notes, text)
	}
}
