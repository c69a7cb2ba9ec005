package tape

import (
	"cmp"
	"slices"

	"onnxmem/report/memory/internal/ref"
)

// This file saves the parameters of a tape.

// param adds a parameter.
func (r *recorder) param(name string, dims []int64, size int64, trains bool) VarID {
	bytes := product64(dims) * size
	s := r.storage(bytes, Parameter)
	r.t.ParameterBytes += bytes
	v := r.variable(Tensor{Dims: dims, Strides: contiguousStrides(dims), Storage: s, Size: size}, trains)
	r.t.Vars.At(v).Param = r.t.Params.Add(Param{Name: name, Var: v, Dims: dims, Trains: trains, Bytes: bytes})
	return v
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
