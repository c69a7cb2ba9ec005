package ort

import (
	"errors"

	"onnxmem/report/memory"
	"onnxmem/shapeinfer"
)

// An Estimate is what ONNX Runtime requests for one run, in bytes.
type Estimate struct {
	// ActivationBytes is the most that is requested for node outputs at any
	// time, the graph's outputs included, its inputs and weights excluded.
	ActivationBytes memory.Size
	// PeakStep is the index in Steps at which that falls.
	PeakStep int
	Steps    []Step // in the order of execution, bodies included
	// Reason says why ActivationBytes has no upper limit although the sizes of
	// all node outputs may be known; empty where that is not so.
	Reason string
}

// A Step is one executed kernel.
type Step struct {
	Op    string
	Node  string   // label, with the path of the bodies around it
	InUse int64    // bytes requested for node outputs after the kernel ran, before what died is released
	Made  []string // the outputs
}

// ErrNoGraph says that there is nothing to run.
var ErrNoGraph = errors.New("ort: the model has no graph")

// CPU estimates a run of an inferred model. opts are the options under which r
// was inferred: the sizes follow from them, the plan does not, since the
// runtime makes it before it sees any input.
func CPU(r *shapeinfer.Result, opts shapeinfer.Options) (*Estimate, error) {
	return estimate(r, opts, cpuProvider())
}

// CUDA is CPU for the CUDA provider, in blocks of its allocator. Workspaces of
// cuDNN and cuBLAS and the context of the device are not in it.
func CUDA(r *shapeinfer.Result, opts shapeinfer.Options) (*Estimate, error) {
	return estimate(r, opts, cudaProvider())
}

func estimate(r *shapeinfer.Result, opts shapeinfer.Options, with provider) (*Estimate, error) {
	if r.Program == nil || r.Program.Main == nil {
		return nil, ErrNoGraph
	}
	known, changed, reason, err := load(r.Program, with)
	if err != nil {
		return nil, err
	}
	full := r
	if changed {
		opts.Policy = nil
		if full, err = shapeinfer.InferProgram(known.Program, opts); err != nil {
			return nil, err
		}
	}
	e := run(known.Program.Model, full.Main, known.Main, with)
	if reason != "" {
		e.Reason = reason
	}
	if e.Reason != "" {
		e.ActivationBytes.Open = true
	}
	return e, nil
}
