// Package runtimes estimates what a named runtime takes for a model's
// activations.
package runtimes

import (
	"onnxmem/report/memory"
	"onnxmem/report/memory/internal/ort"
	"onnxmem/shapeinfer"
)

// A Profile estimates what one runtime takes.
type Profile struct {
	Runtime  Runtime
	Title    string            // the runtime's name in texts
	Settings map[string]string // the runtime's settings that the estimate is for
	Measured bool              // its estimate was compared with the runtime itself
	// Activations estimates one run. opts are those that the result was inferred
	// with.
	Activations func(r *shapeinfer.Result, opts shapeinfer.Options) (Activations, error)
}

// Activations are what a runtime requests for node outputs, graph outputs
// included, at most at any time, in bytes.
type Activations struct {
	memory.Size
	// Reason says why there is no upper limit where that is not because of the
	// size of some tensor; else it is empty.
	Reason string
}

// Profiles lists the runtimes, the default first.
func Profiles() []Profile {
	return []Profile{
		{ORTCPU, "ONNX Runtime (CPU)", unoptimized(), true, func(r *shapeinfer.Result, opts shapeinfer.Options) (Activations, error) {
			return activations(ort.CPU(r, opts))
		}},
		{ORTCUDA, "ONNX Runtime (CUDA)", unoptimized(), false, func(r *shapeinfer.Result, opts shapeinfer.Options) (Activations, error) {
			return activations(ort.CUDA(r, opts))
		}},
		{TensorRTLike, "a TensorRT-like engine", map[string]string{}, false, func(r *shapeinfer.Result, _ shapeinfer.Options) (Activations, error) {
			return Activations{Size: compiledEngine(r)}, nil
		}},
	}
}

// unoptimized are the settings under which ONNX Runtime runs the graph as the file
// has it.
func unoptimized() map[string]string { return map[string]string{SettingOptimization: "off"} }

// SettingOptimization is ONNX Runtime's level of graph optimization, as a key of
// Profile.Settings: off, basic, extended or all.
const SettingOptimization = "optimization"

func activations(e *ort.Estimate, err error) (Activations, error) {
	if err != nil {
		return Activations{}, err
	}
	return Activations{e.ActivationBytes, e.Reason}, nil
}

// Find returns the profile of a runtime; ok is false for [None], and for values
// that do not exist.
func Find(r Runtime) (p Profile, ok bool) {
	for _, p := range Profiles() {
		if p.Runtime == r {
			return p, true
		}
	}
	return Profile{}, false
}
