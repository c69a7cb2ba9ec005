package report

import (
	"onnxmem/report/finding"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/runtimes"
	"onnxmem/report/memory/weights"
)

// A runtimeEstimate is what a runtime requests for activations, or why that is
// not known. Without a profile no runtime was asked for.
type runtimeEstimate struct {
	profile *runtimes.Profile
	size    runtimes.Activations
	err     error
}

// estimateRuntime follows the chosen runtime.
func (a *Analysis) estimateRuntime() runtimeEstimate {
	profile, ok := runtimes.Find(a.opts.Runtime)
	if !ok {
		return runtimeEstimate{}
	}
	size, err := profile.Activations(a.Numbers, a.numbersOptions)
	return runtimeEstimate{&profile, size, err}
}

// describeRuntime fills what the chosen runtime takes.
func (a *Analysis) describeRuntime(r *Result, p *liveness.Program, w *weights.Set, e runtimeEstimate) {
	if e.profile == nil {
		return
	}
	rt := &Runtime{Name: e.profile.Runtime.String(), Title: e.profile.Title, Settings: e.profile.Settings, Measured: e.profile.Measured}
	r.Inference.Runtime = rt
	if e.err != nil {
		f := finding.New(finding.RuntimeUnavailable)
		f.Detail = e.err.Error()
		rt.Reason = &f
		return
	}
	fill(e.size.Size, &rt.ActivationBytes, &rt.ActivationAtLeast, &rt.ActivationAtMost)
	fill(e.size.Add(w.LoadedSize()).Add(p.InputSize()), &rt.Bytes, &rt.BytesAtLeast, &rt.BytesAtMost)
	if rt.Bytes == nil {
		f := finding.New(finding.RuntimeSizesUnknown)
		f.Detail = e.size.Reason
		rt.Reason = &f
	}
}
