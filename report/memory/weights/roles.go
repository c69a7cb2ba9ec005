package weights

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer/op"
)

// A roleFinder tells what training does with stored tensors from where they
// are read: through bodies, calls of functions, and operators that only pass a
// tensor on.
type roleFinder struct {
	program   *onnxgraph.Program
	catalogue *op.Catalogue
	known     map[roleKey]roleAnswer
	budget    int
}

type roleKey struct {
	scope *onnxgraph.Scope
	id    onnxgraph.ValueID
}

type roleAnswer struct {
	role    op.Role // the greatest of all readers
	readers []op.ID
}

func newRoleFinder(p *onnxgraph.Program, c *op.Catalogue) *roleFinder {
	return &roleFinder{program: p, catalogue: c, known: map[roleKey]roleAnswer{}, budget: 4 * memory.MaxSteps}
}

// of is the role of a stored tensor and the operators that read it.
func (r *roleFinder) of(s *onnxgraph.Scope, id onnxgraph.ValueID, w *Tensor) (Role, []op.ID) {
	if id == onnxgraph.NoValue {
		return Constant, nil
	}
	a := r.value(s, id, 0)
	if !w.DType.IsFloat() {
		return Constant, a.readers
	}
	switch a.role {
	case op.Parameter:
		if bufferName(w.Name) {
			return Buffer, a.readers
		}
		return Trainable, a.readers
	case op.Statistic:
		return Buffer, a.readers
	case op.Operand:
		if operandTrains(w) {
			return Trainable, a.readers
		}
	}
	return Constant, a.readers
}

// operandTrains tells a parameter from a constant among the tensors of
// elementwise operators, which look alike: biases and layer scales against
// factors, means and tables. Exporters write parameters, and what they compute
// from parameters, as initializers, and the numbers of the traced program as
// Constant nodes; a single number counts only under the name of a module.
func operandTrains(w *Tensor) bool {
	return moduleName(w.Name) || w.Elements > 1 && !w.node && !dynamoConstant(w.Name) && !bufferName(w.Name)
}

// value is the greatest role of a value at its readers.
func (r *roleFinder) value(s *onnxgraph.Scope, id onnxgraph.ValueID, depth int) roleAnswer {
	k := roleKey{s, id}
	if a, ok := r.known[k]; ok {
		return a
	}
	if r.budget--; r.budget < 0 || depth > 200 {
		return roleAnswer{}
	}
	r.known[k] = roleAnswer{} // ends cycles of wrong files
	var a roleAnswer
	for _, u := range s.Uses(id) {
		if u.Slot < 0 {
			r.bodies(s, u.Node, id, depth, &a)
			continue
		}
		r.use(s, u, depth, &a)
	}
	r.known[k] = a
	return a
}

// bodies follows a value into the bodies of a node that read it by name.
func (r *roleFinder) bodies(s *onnxgraph.Scope, node int32, id onnxgraph.ValueID, depth int, a *roleAnswer) {
	for _, body := range s.Subgraphs(node) {
		for inner := range body.Values {
			if v := &body.Values[inner]; v.Origin == onnxgraph.OuterScope && v.Outer == id {
				a.merge(r.value(body, onnxgraph.ValueID(inner), depth+1))
			}
		}
	}
}

// use follows one reading of a value.
func (r *roleFinder) use(s *onnxgraph.Scope, u onnxgraph.Use, depth int, a *roleAnswer) {
	n := s.Nodes[u.Node]
	if f := r.program.FunctionOf(n); f != nil {
		if int(u.Slot) < len(f.Inputs) {
			a.merge(r.value(f, f.Inputs[u.Slot], depth+1))
		}
		return
	}
	id := op.IDOf(n)
	role := op.Data
	if o := r.catalogue.Newest(id); o != nil {
		role = o.Roles.At(int(u.Slot))
	}
	if role != op.Through {
		a.merge(roleAnswer{role, []op.ID{id}})
		return
	}
	outs := s.NodeOutputs(u.Node)
	if len(outs) == 0 || outs[0] == onnxgraph.NoValue {
		return
	}
	for _, out := range outs {
		if out != onnxgraph.NoValue {
			a.merge(r.value(s, out, depth+1))
		}
	}
}

func (a *roleAnswer) merge(o roleAnswer) {
	a.role = max(a.role, o.role)
	for _, id := range o.readers {
		if len(a.readers) < 8 && !slices.Contains(a.readers, id) {
			a.readers = append(slices.Clip(a.readers), id)
		}
	}
}
