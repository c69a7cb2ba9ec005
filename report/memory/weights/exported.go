package weights

import (
	"strings"

	"onnxmem/onnxgraph"
)

// This file reads what exporters say about tensors and nodes in metadata, which
// lasts when names do not.

// The keys of torch's dynamo exporter and of the passes that it runs.
// https://github.com/pytorch/pytorch/blob/main/torch/onnx/_internal/exporter/_core.py
const (
	keyInputKind  = "pkg.torch.export.graph_signature.InputSpec.kind"
	keyFoldedFrom = "pkg.onnxscript.optimizer.folded_from" // a list as Python prints it
	keyRuleName   = "pkg.onnxscript.rewriter.rule_name"    // the passes that made a node, with commas between
)

// The passes that fold a BatchNormalization into a convolution, and that take
// away a bias of zeros.
const (
	ruleBatchNormIntoConv = "FuseBatchNormIntoConv"
	ruleRemovedBias       = "RemoveOptionalBiasFromConv"
)

// An origin is where an exporter says that a stored tensor comes from.
type origin uint8

const (
	originUnknown   origin = iota
	originParameter        // of a module
	originBuffer           // of a module
	originConstant         // of the program
	originComputed         // from numbers of the program
)

// origins reads the metadata of the tensors of graphs, each graph once.
type origins map[*onnxgraph.Graph]map[string]origin

// of returns the origin of a stored tensor of a graph.
func (o origins) of(g *onnxgraph.Graph, t *onnxgraph.Tensor, name string) origin {
	if t != nil {
		if at := originOf(t.Metadata); at != originUnknown {
			return at
		}
	}
	if g == nil {
		return originUnknown
	}
	known, ok := o[g]
	if !ok {
		for _, v := range g.ValueInfos {
			if at := originOf(v.Metadata); at != originUnknown {
				if known == nil {
					known = map[string]origin{}
				}
				known[v.Name] = at
			}
		}
		o[g] = known
	}
	return known[name]
}

func originOf(metadata []onnxgraph.StringEntry) origin {
	for _, e := range metadata {
		switch {
		case e.Key == keyInputKind && e.Value == "PARAMETER":
			return originParameter
		case e.Key == keyInputKind && e.Value == "BUFFER":
			return originBuffer
		case e.Key == keyInputKind && e.Value == "CONSTANT_TENSOR":
			return originConstant
		case e.Key == keyFoldedFrom && fromNumbers(e.Value):
			return originComputed
		}
	}
	return originUnknown
}

// fromNumbers reports whether a list of values that a tensor was computed from
// has a table made of numbers, such as arange, and no tensor of a module, whose
// name is a path. Parameters that only lie in another layout, and what is
// computed from them, train.
func fromNumbers(list string) bool {
	made := false
	for name := range strings.SplitSeq(strings.Trim(list, "[]"), ",") {
		name = strings.Trim(name, " '\"")
		if strings.Contains(name, ".") {
			return false
		}
		made = made || numberFunction(name)
	}
	return made
}

// foldedBatchNorm reports whether the exporter says that it folded a
// BatchNormalization into a node. That it says nothing means nothing: it did not
// write the passes down before torch 2.9.
func foldedBatchNorm(n *onnxgraph.Node) bool { return hasRule(n, ruleBatchNormIntoConv) }

// removedBias reports whether the exporter took a bias of zeros away from a
// convolution.
func removedBias(n *onnxgraph.Node) bool { return hasRule(n, ruleRemovedBias) }

// hasRule reports whether a pass is among those that made a node.
func hasRule(n *onnxgraph.Node, rule string) bool {
	for _, e := range n.Metadata {
		if e.Key != keyRuleName {
			continue
		}
		for name := range strings.SplitSeq(e.Value, ",") {
			if strings.TrimSpace(name) == rule {
				return true
			}
		}
	}
	return false
}
