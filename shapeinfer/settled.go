package shapeinfer

import (
	"fmt"
	"maps"

	"onnxmem/onnxgraph"
)

// This file sets the symbols of input dims for which an operator takes one size
// only: exporters write a name for the last dim of a cache of keys, though the
// head size of the attention that reads it is a number.

// A settledDim is such a size and why it is the only one.
type settledDim struct {
	size int64
	note Diagnostic
}

// SettleDim implements [op.Engine].
func (f *scopeInference) SettleDim(slot, axis int, size int64, why string) bool {
	ids := f.scope.Graph.NodeInputs(f.node)
	if f.e.opts.Policy != nil || size < 1 || slot >= len(ids) {
		return false
	}
	name := f.e.inputSymbol(f.scope.Graph, ids[slot], axis)
	if name == "" {
		return false
	}
	if _, given := f.e.symbols.numbers[name]; given {
		return false
	}
	if _, given := f.e.symbols.means[name]; given {
		return false
	}
	if earlier, ok := f.e.settled[name]; ok {
		return earlier.size == size
	}
	n := f.scope.Graph.Nodes[f.node]
	f.e.settled[name] = settledDim{size, Diagnostic{
		Code: "settled-dim", Severity: Note, Graph: f.scope.Graph.Path, Node: f.label(),
		Message: fmt.Sprintf("%s is %d: %s takes no other size for axis %d of %q (%s)", name, size, n.OpType, axis, n.Inputs[slot], why),
	}}
	return true
}

// inputSymbol is the name of a dim of a value that is an input of the main
// graph; empty for all other values, and for dims that are no plain symbol.
func (e *engine) inputSymbol(g *onnxgraph.Scope, id onnxgraph.ValueID, axis int) string {
	for id != onnxgraph.NoValue && g.Values[id].Origin == onnxgraph.OuterScope && g.Parent != nil {
		id, g = g.Values[id].Outer, g.Parent
	}
	if g != e.program.Main || id == onnxgraph.NoValue || g.Values[id].Origin != onnxgraph.GraphInput {
		return ""
	}
	v := &g.Values[id]
	if name := e.symbols.unnamed(v.Name, axis); name != "" {
		return name
	}
	dims := declaredDims(v.Declared)
	if axis >= len(dims) || isPlaceholder(dims[axis].Param) || e.symbols.isExpression(dims[axis].Param) {
		return ""
	}
	return dims[axis].Param
}

// settle returns options under which the settled dims have their size, and
// reports whether there are more of them than there were.
func (o Options) settle(found map[string]settledDim) (with Options, more bool) {
	all := maps.Clone(o.settled)
	if all == nil {
		all = map[string]settledDim{}
	}
	for name, s := range found {
		if _, done := all[name]; !done {
			all[name], more = s, true
		}
	}
	o.settled = all
	return o, more
}
