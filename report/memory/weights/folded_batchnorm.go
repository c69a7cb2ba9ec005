package weights

import (
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer/op"
)

// A BatchNormMode says how BatchNormalizations that the exporter folded into
// the convolution before them are found.
type BatchNormMode uint8

// The ways to find folded BatchNormalizations.
const (
	BatchNormAuto   BatchNormMode = iota // by the names that exporters give to folded weights
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
}

// foldedBatchNorms visits every convolution where it runs: in a function, once
// for each call, since only the caller knows the weight. A weight that several
// convolutions share counts once.
func foldedBatchNorms(p *onnxgraph.Program, mode BatchNormMode) []FoldedBatchNorm {
	v := &foldVisitor{program: p, mode: mode, seen: map[*onnxgraph.Tensor]bool{}, budget: memory.StepLimit(p.Model)}
	v.scope(p.Main, nil, 0)
	return v.found
}

type foldVisitor struct {
	program *onnxgraph.Program
	mode    BatchNormMode
	seen    map[*onnxgraph.Tensor]bool
	found   []FoldedBatchNorm
	budget  int
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
	if len(ins) < 3 {
		return
	}
	weight, bias := source(s, ins[1], args), source(s, ins[2], args)
	if weight.tensor == nil || bias.tensor == nil || len(bias.tensor.Dims) != 1 || v.seen[weight.tensor] {
		return
	}
	if v.mode == BatchNormFolded || namedByFolding(weight.name, bias.name) {
		v.seen[weight.tensor] = true
		v.found = append(v.found, FoldedBatchNorm{Scope: s, Node: i, Weight: weight.tensor, Bias: bias.tensor, Channels: bias.tensor.Dims[0]})
	}
}

// namedByFolding reports whether a weight and a bias have the names that
// exporters give to what they compute: TorchScript's constant folding calls
// both onnx::Conv_123, old versions 123, and dynamo's keeps the weight's name
// and calls the bias that it adds conv1.weight_bias. A bias of a generated name
// is enough, since runtimes that store a model again rename the weights that
// they reorder.
func namedByFolding(weight, bias string) bool {
	if strings.HasPrefix(bias, "onnx::") {
		return generatedName(bias)
	}
	return isNumber(weight) && isNumber(bias) || bias == weight+"_bias"
}

// generatedName reports whether TorchScript's exporter made a value's name up:
// onnx::Conv_123, or a bare number in old versions.
func generatedName(name string) bool {
	if rest, ok := strings.CutPrefix(name, "onnx::"); ok {
		i := strings.LastIndexByte(rest, '_')
		return i > 0 && isNumber(rest[i+1:])
	}
	return isNumber(name)
}

func isNumber(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// A initializer is a tensor behind a value, and the name under which it is stored.
type initializer struct {
	tensor *onnxgraph.Tensor
	name   string
}

// source finds the stored tensor that a value is, through enclosing scopes, the
// arguments of a call, and Identity, which exporters use for weights that
// several modules share.
func source(s *onnxgraph.Scope, id onnxgraph.ValueID, args map[onnxgraph.ValueID]initializer) initializer {
	for hops := 0; hops < 64 && s != nil && id != onnxgraph.NoValue; hops++ {
		v := &s.Values[id]
		switch v.Origin {
		case onnxgraph.Initializer:
			return initializer{v.Tensor, v.Name}
		case onnxgraph.OuterScope:
			s, id = s.Parent, v.Outer
		case onnxgraph.NodeOutput:
			n := s.Nodes[v.Producer]
			if memory.IsConstant(n) {
				if a := n.Attribute("value"); a != nil {
					return initializer{a.Tensor, v.Name}
				}
				return initializer{}
			}
			if op.IDOf(n) != (op.ID{Name: "Identity"}) || len(n.Inputs) == 0 {
				return initializer{}
			}
			id = s.NodeInputs(v.Producer)[0]
		case onnxgraph.GraphInput:
			if s.Function != nil {
				return args[id]
			}
			return initializer{}
		default:
			return initializer{}
		}
	}
	return initializer{}
}
