package report

import (
	"onnxmem/report/finding"
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
	rt := &Runtime{Name: profile.Name, Title: profile.Title, Settings: profile.Settings, Measured: profile.Measured}
	r.Inference.Runtime = rt
	size, err := profile.Activations(a.Numbers, a.numbersOptions)
	if err != nil {
		f := finding.New(finding.RuntimeUnavailable)
		f.Detail = err.Error()
		rt.Reason = &f
		return
	}
	fill(size, &rt.ActivationBytes, &rt.ActivationAtLeast, &rt.ActivationAtMost)
	fill(size.Add(w.Size()).Add(p.InputSize()), &rt.Bytes, &rt.BytesAtLeast, &rt.BytesAtMost)
	if rt.Bytes == nil {
		f := finding.New(finding.RuntimeSizesUnknown)
		rt.Reason = &f
	}
}
