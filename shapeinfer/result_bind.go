package shapeinfer

import (
	"maps"
	"slices"

	"onnxmem/shapeinfer/dim"
)

// Bind returns the result with free symbols bound to numbers, by evaluating
// the expressions that inference found rather than inferring again. A symbol
// bound to less than one is the exception: simplification relied on sizes of
// at least one, so the model is inferred anew with the number. So is one that
// resizes by scales: expressions do not round as runtimes do.
//
// Names that are no free symbol of the result are a [BindingError].
func (r *Result) Bind(dims map[string]int64) (*Result, error) {
	free := map[string]bool{}
	for _, name := range r.FreeSymbols {
		free[name] = true
	}
	if err := allKnown(dims, free, "free symbol"); err != nil {
		return nil, err
	}
	means := make(map[string]dim.Dim, len(dims))
	again := false
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		n := dims[name]
		if n < 0 {
			return nil, impossible(name, n)
		}
		means[name] = dim.Int(n)
		again = again || n < 1
	}
	if again || r.Main.scalesInFloat32(map[*Scope]bool{}) {
		opts := r.opts
		opts.Dims = map[string]int64{}
		maps.Copy(opts.Dims, r.opts.Dims)
		maps.Copy(opts.Dims, dims)
		return InferProgram(r.Program, opts)
	}
	b := &substitution{means: means, scopes: map[*Scope]*Scope{}}
	bound := *r
	bound.Main = b.scope(r.Main)
	bound.Bindings = maps.Clone(r.Bindings)
	maps.Copy(bound.Bindings, dims)
	bound.FreeSymbols = slices.DeleteFunc(slices.Clone(r.FreeSymbols), func(name string) bool {
		_, given := dims[name]
		return given
	})
	return &bound, nil
}

// scalesInFloat32 reports whether a size of the scope is a product in float32.
func (s *Scope) scalesInFloat32(seen map[*Scope]bool) bool {
	if s == nil || seen[s] {
		return false
	}
	seen[s] = true
	for i := range s.Nodes {
		node := &s.Nodes[i]
		if o := node.Op; o != nil && (o.Name == "Resize" || o.Name == "Upsample") {
			return true
		}
		if node.Function.scalesInFloat32(seen) || slices.ContainsFunc(node.Subgraphs, func(b *Scope) bool { return b.scalesInFloat32(seen) }) {
			return true
		}
	}
	return false
}
