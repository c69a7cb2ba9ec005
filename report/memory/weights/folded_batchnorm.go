package weights

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer/op"
)

// A BatchNormMode says how BatchNormalizations that the exporter folded into
// the convolution before them are found.
type BatchNormMode uint8

// The ways to find folded BatchNormalizations.
const (
	BatchNormAuto   BatchNormMode = iota // by what exporters say of a convolution, else by the names that they give to folded weights
	BatchNormFolded                      // every convolution with a bias had one
	BatchNormNone                        // nowhere
)

// A FoldedBatchNorm is a BatchNormalization that is no longer in the graph: its
// scale went into the weight of a convolution and its shift into the bias.
// Training has it back: a scale and a shift per channel that train, of which
// the file stores the shift as the convolution's bias, and a mean and a
// variance per channel.
type FoldedBatchNorm struct {
	Scope    *onnxgraph.Scope
	Node     int32             // index of the convolution in Scope
	Weight   *onnxgraph.Tensor // of the convolution
	Bias     *onnxgraph.Tensor
	Channels int64
	// OwnBias says that the convolution has a bias beside the normalization's
	// shift, so that training has one vector more than the file.
	OwnBias bool
	// Add says that the shift is the operand of an Add after the convolution,
	// which has no bias then.
	Add bool

	byName   bool // nothing but names says that there was one
	byAuthor bool // the exporter is known to fold all of them
}

// vectors is the number of vectors of one element a channel that train and that
// the file lacks: the scale, and a bias of the convolution's own.
func (f *FoldedBatchNorm) vectors() int64 {
	if f.OwnBias {
		return 2
	}
	return 1
}

// restore fills what training has and the file does not. It visits every
// convolution where it runs: in a function, once for each call, since only the
// caller knows the weight. A weight that several convolutions share counts once.
func (w *Set) restore(p *onnxgraph.Program, opts Options) {
	v := &foldVisitor{program: p, mode: opts.BatchNorm, asWritten: opts.NoFusion, fused: fusedBeforeExport(p), seen: map[*onnxgraph.Tensor]bool{}, budget: memory.StepLimit(p.Model)}
	v.scope(p.Main, nil, 0)
	w.Folded, w.Normed = v.found, v.normed
}

type foldVisitor struct {
	program   *onnxgraph.Program
	mode      BatchNormMode
	asWritten bool
	fused     bool // before export, so that neither names nor nodes show it
	seen      map[*onnxgraph.Tensor]bool
	found     []FoldedBatchNorm
	normed    []NormedWeight
	budget    int
}

// scope visits the nodes of a graph, or of a function whose inputs are bound to
// what the call gives.
func (v *foldVisitor) scope(s *onnxgraph.Scope, args map[onnxgraph.ValueID]initializer, depth int) {
	for i, n := range s.Nodes {
		if v.budget--; v.budget < 0 {
			return
		}
		if convolutions[op.IDOf(n)] {
			v.convolution(s, int32(i), args)
		}
		for _, body := range s.Subgraphs(int32(i)) {
			v.scope(body, args, depth)
		}
		if f := v.program.FunctionOf(n); f != nil && depth < memory.MaxDepth {
			inner := map[onnxgraph.ValueID]initializer{}
			ins := s.NodeInputs(int32(i))
			for slot, id := range f.Inputs {
				if slot < len(ins) {
					inner[id] = source(s, ins[slot], args)
				}
			}
			v.scope(f, inner, depth+1)
		}
	}
}

// convolutions lists the operators with a weight at input 1 and a bias at input 2
// that a BatchNormalization may have followed.
var convolutions = map[op.ID]bool{
	{Name: "Conv"}: true, {Name: "ConvTranspose"}: true,
	{Domain: op.DomainMicrosoft, Name: "FusedConv"}: true,
	// The blocked layout, and channels last.
	{Domain: op.DomainNchwc, Name: "Conv"}:                 true,
	{Domain: op.DomainMicrosoft, Name: "NhwcConv"}:         true,
	{Domain: op.DomainMicrosoft, Name: "NhwcFusedConv"}:    true,
	{Domain: op.DomainInternalNHWC, Name: "Conv"}:          true,
	{Domain: op.DomainInternalNHWC, Name: "ConvTranspose"}: true,
}

func (v *foldVisitor) convolution(s *onnxgraph.Scope, i int32, args map[onnxgraph.ValueID]initializer) {
	ins := s.NodeInputs(i)
	if len(ins) < 2 {
		return
	}
	weight := source(s, ins[1], args)
	if weight.tensor == nil || v.seen[weight.tensor] {
		return
	}
	f := FoldedBatchNorm{Scope: s, Node: i, Weight: weight.tensor}
	var bias initializer
	if len(ins) > 2 {
		bias = source(s, ins[2], args)
		if bias.tensor == nil || len(bias.tensor.Dims) != 1 {
			return
		}
		f.Channels = bias.tensor.Dims[0]
	} else if _, shift := affineStep(s, i, op.ID{Name: "Add"}); v.mode == BatchNormFolded && shift.tensor != nil {
		bias, f.Channels, f.Add = shift, shift.tensor.Dims[1], true
	}
	switch f.Bias = bias.tensor; {
	case f.Bias == nil:
	case v.mode != BatchNormNone && v.decide(&f, weight.name, bias.name):
		v.seen[weight.tensor] = true
		v.found = append(v.found, f)
	case !v.asWritten && weightNormByName(weight, bias):
		v.seen[weight.tensor] = true
		v.normed = append(v.normed, NormedWeight{Weight: weight.tensor, Rows: weight.tensor.Dims[0]})
	}
}

// decide reports whether a BatchNormalization was folded into a convolution with
// a bias: the exporter says so, or all of its convolutions had one, or the names
// are those of folded weights.
func (v *foldVisitor) decide(f *FoldedBatchNorm, weight, bias string) bool {
	n := f.Scope.Nodes[f.Node]
	switch {
	case foldedBatchNorm(n):
		// The exporter gives a convolution without a bias one of zeros, and takes
		// it away before it folds.
		f.OwnBias = !removedBias(n) && !namedByFolding(weight, bias)
		return true
	case v.mode == BatchNormFolded:
		return true
	case v.fused && readByActivation(f.Scope, f.Node):
		f.byAuthor = true
		return true
	}
	f.byName = namedByFolding(weight, bias)
	return f.byName
}
