package report

import (
	"onnxmem/report/memory"
	"onnxmem/report/memory/ort"
	"onnxmem/shapeinfer"
)

// A runtimeProfile estimates what a named runtime takes for node outputs.
type runtimeProfile struct {
	name     string
	measured bool // against the runtime itself
	estimate func(*shapeinfer.Result, shapeinfer.Options) (memory.Size, error)
}

func runtimeProfiles() []runtimeProfile {
	activations := func(e *ort.Estimate, err error) (memory.Size, error) {
		if err != nil {
			return memory.Size{}, err
		}
		return e.ActivationBytes, nil
	}
	return []runtimeProfile{
		{ort.CPUName, true, func(r *shapeinfer.Result, opts shapeinfer.Options) (memory.Size, error) {
			return activations(ort.CPU(r, opts))
		}},
		{ort.CUDAName, false, func(r *shapeinfer.Result, opts shapeinfer.Options) (memory.Size, error) {
			return activations(ort.CUDA(r, opts))
		}},
		{memory.EngineName, false, func(r *shapeinfer.Result, _ shapeinfer.Options) (memory.Size, error) {
			return memory.Engine(r), nil
		}},
	}
}

// Runtimes names the runtime profiles, the default first.
func Runtimes() []string {
	var names []string
	for _, p := range runtimeProfiles() {
		names = append(names, p.name)
	}
	return names
}

// describeRuntime fills what the chosen runtime takes.
func (a *Analysis) describeRuntime(r *Result, p *memory.Program, w *memory.Weights) {
	for _, profile := range runtimeProfiles() {
		if profile.name != a.opts.Runtime {
			continue
		}
		rt := &Runtime{Name: profile.name, Measured: profile.measured}
		r.Inference.Runtime = rt
		size, err := profile.estimate(a.Numbers, a.numbersOptions)
		if err != nil {
			rt.Reason = err.Error()
			return
		}
		fill(size, &rt.ActivationBytes, &rt.ActivationAtLeast, &rt.ActivationAtMost)
		fill(size.Add(w.Size()).Add(p.InputSize()), &rt.Bytes, &rt.BytesAtLeast, &rt.BytesAtMost)
		if rt.Bytes == nil {
			rt.Reason = "the size of some tensors is not known"
		}
		return
	}
}
