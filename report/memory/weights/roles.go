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
	origins   origins
	contents  bool // tensors may be read
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

func newRoleFinder(p *onnxgraph.Program, c *op.Catalogue, contents bool) *roleFinder {
	return &roleFinder{program: p, catalogue: c, origins: origins{}, contents: contents, known: map[roleKey]roleAnswer{}, budget: 4 * memory.MaxSteps}
}

// of fills the role of a stored tensor, and the operators that read it.
func (r *roleFinder) of(s *onnxgraph.Scope, id onnxgraph.ValueID, w *Tensor) {
	if id == onnxgraph.NoValue {
		w.Unread = true
		return
	}
	a := r.value(s, id, 0)
	w.Readers, w.Unread = a.readers, len(s.Uses(id)) == 0 && !slices.Contains(s.Outputs, id)
	if !w.DType.IsFloat() {
		return
	}
	w.origin = r.origins.of(s.Graph, w.Tensor, w.Name)
	switch a.role {
	case op.Statistic:
		w.Role = Buffer
	case op.Parameter:
		r.parameter(w)
	case op.Operand:
		r.operand(w)
	}
}

// parameter decides the role of a tensor that an operator takes for a parameter:
// it is one, unless the exporter or its contents say otherwise.
func (r *roleFinder) parameter(w *Tensor) {
	w.Role = Trainable
	switch {
	case w.origin == originBuffer:
		w.Role, w.open = Buffer, true
	case w.origin == originParameter:
	case r.contents && (slices.ContainsFunc(w.Readers, isLookup) && isTable(w.Tensor) || slices.ContainsFunc(w.Readers, isConvolution) && isFixedKernel(w.Tensor)):
		w.Role, w.open, w.fixed = Buffer, true, true
	case bufferName(w.Name):
		w.Role, w.open, w.byName = Buffer, true, true
	}
}

// operand tells a parameter from a constant among the tensors of elementwise
// operators, which look alike: biases and layer scales against factors, means
// and tables. Exporters write parameters, and what they compute from
// parameters, as initializers, and the numbers of the traced program as
// Constant nodes; a single number counts only under the name of a module.
func (r *roleFinder) operand(w *Tensor) {
	trains := w.Elements > 1 && !w.node
	switch {
	case w.origin == originParameter:
		w.Role = Trainable
		return
	case w.origin == originBuffer:
		w.Role, w.open = Buffer, true
		return
	case w.origin != originUnknown:
		w.open = true
		return
	case trains && r.contents && isTable(w.Tensor):
		w.Role, w.open, w.fixed = Buffer, true, true
		return
	}
	named := trains && !dynamoConstant(w.Name) && !bufferName(w.Name) || moduleName(w.Name)
	w.byName, w.open = named != trains, !named
	if named {
		w.Role = Trainable
	}
}

// isLookup and isConvolution name the readers whose weights may be tables and
// fixed kernels.
func isLookup(id op.ID) bool      { return id == op.ID{Name: "Gather"} || id == op.ID{Name: "GatherND"} }
func isConvolution(id op.ID) bool { return convolutions[id] }

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
