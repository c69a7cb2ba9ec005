package tape

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
	"onnxmem/report/memory/weights"
)

// This file makes what exists before the forward pass: parameters, buffers, inputs.

// leastTable is the number of elements from which a constant that does not
// train counts among the buffers. Modules register tables of positions and masks
// as buffers, which lie on the device; smaller constants are mostly numbers of
// the program. What is below takes a block of 512 bytes at most, the least that
// an allocator hands out.
const leastTable = 128

// start makes the tensors that exist before the forward pass.
func (r *recorder) start(w *weights.Set) {
	for i := range w.Tensors {
		if r.err == nil {
			r.startWeight(&w.Tensors[i])
		}
	}
	for _, id := range r.g.inputs {
		if r.err == nil {
			r.startInput(id)
		}
	}
	if r.err != nil {
		return
	}
	for id, v := range r.g.values.All() {
		if v.initializer != nil {
			r.startInitializer(id, v)
		}
	}
	r.allocated = nil
}

// startWeight makes a parameter, or counts a buffer.
func (r *recorder) startWeight(t *weights.Tensor) {
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

func (r *recorder) startInput(id valueID) {
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

// startInitializer binds a stored tensor to its parameter, or to a constant.
func (r *recorder) startInitializer(id valueID, v *value) {
	tensor, transposed := v.initializer, false
	if w := r.weights[tensor]; w != nil && w.Original != nil {
		tensor, transposed = w.Original, w.Transposed
	}
	p, ok := r.params[tensor]
	switch {
	case !ok:
		r.vars.Set(id, r.constant(v))
	case transposed:
		r.tied[id] = p // a view that is made where it is first read
	default:
		r.vars.Set(id, p)
	}
}

func (r *recorder) unknownInput(v *value) {
	code := finding.TrainingShapeUnknown
	if !v.fact.Type.IsTensor() {
		code = finding.TrainingNoTensor
	}
	r.err = unknown(code, func(f *finding.Finding) { f.Tensor, f.Detail = v.name, v.fact.Reason })
}

// constant is a tensor that the program holds and that costs nothing more.
func (r *recorder) constant(v *value) VarID {
	dims := v.dims
	if !v.known && v.initializer != nil {
		dims = v.initializer.Dims
	}
	s := r.storage(0, Constant)
	return r.variable(Tensor{Dims: dims, Strides: contiguousStrides(dims), Storage: s, Size: r.elementBytes(v.dtype)}, false)
}
