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
	Name     string
	Measured bool // its estimate was compared with the runtime itself
	// Activations is the most that the runtime requests for node outputs, graph
	// outputs included, in bytes. opts are those that the result was inferred
	// with.
	Activations func(r *shapeinfer.Result, opts shapeinfer.Options) (memory.Size, error)
}

// Profiles lists the runtimes, the default first.
func Profiles() []Profile {
	return []Profile{
		{ort.CPUName, true, func(r *shapeinfer.Result, opts shapeinfer.Options) (memory.Size, error) {
			return activations(ort.CPU(r, opts))
		}},
		{ort.CUDAName, false, func(r *shapeinfer.Result, opts shapeinfer.Options) (memory.Size, error) {
			return activations(ort.CUDA(r, opts))
		}},
		{TensorRTLikeName, false, func(r *shapeinfer.Result, _ shapeinfer.Options) (memory.Size, error) {
			return TensorRTLike(r), nil
		}},
	}
}

func activations(e *ort.Estimate, err error) (memory.Size, error) {
	if err != nil {
		return memory.Size{}, err
	}
	return e.ActivationBytes, nil
}

// Find returns the profile of that name.
func Find(name string) (p Profile, ok bool) {
	for _, p := range Profiles() {
		if p.Name == name {
			return p, true
		}
	}
	return Profile{}, false
}

// Names lists the names of the profiles, the default first.
func Names() []string {
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name)
	}
	return names
}
