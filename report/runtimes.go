package report

import (
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/runtimes"
	"onnxmem/report/memory/weights"
)

// describeRuntime fills what the chosen runtime takes.
func (a *Analysis) describeRuntime(r *Result, p *liveness.Program, w *weights.Set) {
	profile, ok := runtimes.Find(a.opts.Runtime)
	if !ok {
		return
	}
	rt := &Runtime{Name: profile.Name, Measured: profile.Measured}
	r.Inference.Runtime = rt
	size, err := profile.Activations(a.Numbers, a.numbersOptions)
	if err != nil {
		rt.Reason = err.Error()
		return
	}
	fill(size, &rt.ActivationBytes, &rt.ActivationAtLeast, &rt.ActivationAtMost)
	fill(size.Add(w.LoadedSize()).Add(p.InputSize()), &rt.Bytes, &rt.BytesAtLeast, &rt.BytesAtMost)
	if rt.Bytes == nil {
		rt.Reason = "the size of some tensors is not known"
	}
}
