package tape

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory/internal/ref"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// A recorder makes the tape of a graph, node by node. Its methods lie beside
// their subject: storages, variables, params, emit, follow, notes, and the
// operators' rules in the op files.
type recorder struct {
	modelWeights
	g      *graph
	t      *Tape
	opts   Options
	groups *groups

	vars     ref.Table[value, VarID]
	expanded map[VarID]VarID // integers that repeat others, whose memory they share
	halves   map[VarID]VarID // parameters in 16 bits, under autocast

	allocated []StorageID // since the last operator
	total     int64       // bytes of all tensors
	node      *node       // under way
	missing   valueID     // that the node asked for and that nothing makes
	err       *UnknownError
	noted     map[notedKey]bool // what was said already

	dropoutSites     map[valueID]bool // values after which there is a dropout
	attentionDropout bool             // attention has one, too
}

// modelWeights is what is known of stored tensors.
type modelWeights struct {
	weights map[*onnxgraph.Tensor]*weights.Tensor
	params  map[*onnxgraph.Tensor]VarID
	tied    map[valueID]VarID // copies of parameters that the file has transposed
	folded  map[*onnxgraph.Tensor]*weights.FoldedBatchNorm
	norms   map[*onnxgraph.Tensor]foldedNorm // that came back already
	normed  map[*onnxgraph.Tensor]int64      // rows of weights that are made in each forward pass
}

func newModelWeights(w *weights.Set) modelWeights {
	m := modelWeights{
		weights: map[*onnxgraph.Tensor]*weights.Tensor{},
		params:  map[*onnxgraph.Tensor]VarID{},
		tied:    map[valueID]VarID{},
		folded:  map[*onnxgraph.Tensor]*weights.FoldedBatchNorm{},
		norms:   map[*onnxgraph.Tensor]foldedNorm{},
		normed:  map[*onnxgraph.Tensor]int64{},
	}
	for i := range w.Tensors {
		if t := w.Tensors[i].Tensor; t != nil {
			m.weights[t] = &w.Tensors[i]
		}
	}
	for i := range w.Folded {
		m.folded[w.Folded[i].Weight] = &w.Folded[i]
	}
	for _, n := range w.Normed {
		m.normed[n.Weight] = n.Rows
	}
	return m
}

// Record makes the tape of an inferred model. The error is an *UnknownError.
func Record(result *shapeinfer.Result, w *weights.Set, opts Options) (*Tape, error) {
	g, err := flatten(result)
	if err != nil {
		return nil, err
	}
	r := &recorder{
		g: g, t: &Tape{}, opts: opts, modelWeights: newModelWeights(w),
		vars:     ref.TableOf[value, VarID](&g.values),
		expanded: map[VarID]VarID{}, halves: map[VarID]VarID{}, noted: map[notedKey]bool{},
	}
	r.start(w)
	r.groups = recognise(r)
	r.follow()
	if r.err != nil {
		return nil, r.err
	}
	r.finish()
	return r.t, nil
}
