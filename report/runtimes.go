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
func (a *Analysis) describeRuntime(r *Result) {
	for _, p := range runtimeProfiles() {
		if p.name != a.opts.Runtime {
			continue
		}
		rt := &Runtime{Name: p.name, Measured: p.measured}
		r.Inference.Runtime = rt
		size, err := p.estimate(a.Numbers, a.numbersOptions)
		if err != nil {
			rt.Reason = err.Error()
			return
		}
		if rt.ActivationBytes = exact(size); rt.ActivationBytes == nil {
			rt.Reason = "the size of some tensors is not known"
			return
		}
		if r.Weights.Bytes != nil && r.Inputs.Bytes != nil {
			total := *r.Weights.Bytes + *r.Inputs.Bytes + *rt.ActivationBytes
			rt.Bytes = &total
		}
	}
}
