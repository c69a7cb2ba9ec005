package report

import (
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/report/memory/compute"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
)

// describeCompute fills the work of one run.
func describeCompute(r *Result, p *liveness.Program) {
	work := compute.Count(p)
	macs, flops := work.MACs, work.FLOPs()
	if work.MACsOpen || flops == math.MaxInt64 {
		r.Compute.MACsAtLeast = &macs
	} else {
		r.Compute.MACs, r.Compute.FLOPs = &macs, &flops
	}
	r.Compute.ElementwiseOps = &work.Elementwise
	if traffic := work.Traffic(); !work.BytesOpen && traffic < math.MaxInt64 {
		r.Compute.TrafficBytes = &traffic
	}
}

// totalMACs is the work of one run of a scope. Scopes that several calls share
// are summed once and remembered.
func totalMACs(s *shapeinfer.Scope, known map[*shapeinfer.Scope]dim.Dim) dim.Dim {
	if d, ok := known[s]; ok {
		return d
	}
	terms := make([]dim.Dim, 0, len(s.Nodes))
	for i := range s.Nodes {
		if d := nodeMACs(s, i, known); !isZero(d) {
			terms = append(terms, d)
		}
	}
	total := dim.Sum(terms...)
	known[s] = total
	return total
}

// nodeMACs is the work of one node with what it calls and its bodies: of an If
// the larger branch. How often a loop's body runs is not a matter of dims, so
// a loop that works is unknown.
func nodeMACs(s *shapeinfer.Scope, i int, known map[*shapeinfer.Scope]dim.Dim) dim.Dim {
	n := &s.Nodes[i]
	total := n.MACs
	if n.Function != nil {
		total = dim.Add(total, totalMACs(n.Function, known))
	}
	branch := s.Graph.Nodes[i].OpType == "If"
	worst := dim.Int(0)
	for _, b := range n.Subgraphs {
		if b == nil {
			continue
		}
		d := totalMACs(b, known)
		if !branch && !isZero(d) {
			return dim.Unknown()
		}
		worst = dim.Max(worst, d)
	}
	return dim.Add(total, worst)
}

func isZero(d dim.Dim) bool {
	n, ok := d.Int()
	return ok && n == 0
}

// nodes lists the nodes of the main graph.
func (a *Analysis) nodes(p *liveness.Program, w *weights.Set) []Node {
	scope := a.Numbers.Main
	stored := map[string]*weights.Tensor{}
	for i := range w.Tensors {
		if t := &w.Tensors[i]; t.Graph == "" {
			stored[t.Name] = t
		}
	}
	counted, work := map[string]bool{}, map[*shapeinfer.Scope]dim.Dim{}
	rows := make([]Node, 0, len(scope.Nodes))
	for i, n := range scope.Graph.Nodes {
		row := Node{Name: onnxgraph.NodeLabel(n, i), Op: n.OpType, Outputs: n.Outputs}
		var out, params, weights memory.Size
		for _, in := range n.Inputs {
			// A weight that several nodes read counts at the first.
			if t := stored[in]; t != nil && !counted[in] {
				counted[in] = true
				params, weights = params.Add(memory.ExactSize(t.Elements)), weights.Add(memory.ExactSize(t.Bytes))
			}
		}
		row.Params, row.WeightBytes = params.Low, weights.Low
		for _, id := range scope.Graph.NodeOutputs(int32(i)) {
			if id == onnxgraph.NoValue {
				continue
			}
			fact := &scope.Facts[id]
			out = out.Add(memory.SizeOf(fact.Type))
			row.OutputShapes = append(row.OutputShapes, fact.Type.String())
		}
		row.OutputBytes = exact(out)
		if v, ok := nodeMACs(scope, i, work).Int(); ok && v >= 0 { // declared dims may be negative
			row.MACs = &v
		}
		if a.saved != nil {
			v := a.saved[int32(i)]
			row.SavedBytes = &v
		}
		rows = append(rows, row)
	}
	return rows
}
