package report

import (
	"onnxmem/report/memory"
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
)

// checkedSize is the size of all open dims at which formulas are compared with
// numbers: divisible by what heads and groups divide by, and large enough that
// inference no longer follows the elements of some values that grow with it.
const checkedSize = 64

// inferLarger infers the model once more with larger dims; nil where it does not
// run at that size, or has no open dims.
func (a *Analysis) inferLarger() *shapeinfer.Result {
	if len(a.Symbolic.FreeSymbols) == 0 {
		return nil
	}
	opts := a.numbersOptions
	opts.DefaultDims = checkedSize
	larger, err := shapeinfer.InferProgram(a.Program, opts)
	if err != nil || larger.HasErrors() {
		return nil
	}
	return larger
}

// checkFormulas drops the formulas that do not give the numbers of a model with
// larger dims: shapes may take another course there, and values that are known
// before the model runs at one size may not be so at another.
func (a *Analysis) checkFormulas(r *Result, held int64, larger *shapeinfer.Result) {
	if larger == nil {
		return
	}
	p := liveness.NewProgram(larger, liveness.Options{InPlace: a.opts.ReuseInputs})
	if n, ok := p.Sum().Exact(); ok && !gives(r.Formula.ActivationsBytes, larger.Assumed, n) {
		r.Formula.ActivationsBytes = ""
	}
	peak := p.PeakIn(nil, a.opts.FreeInputs)
	if n, ok := peak.Size.Add(memory.ExactSize(held)).Exact(); ok {
		if inputs, known := p.InputSize().Exact(); known && !a.opts.FreeInputs {
			n += inputs
		}
		if r.Formula.PeakFrom <= checkedSize && !gives(r.Formula.PeakBytes, larger.Assumed, n) {
			r.Formula.PeakBytes, r.Formula.PeakFrom = "", 0
		}
	}
	if inf := &r.Inference; !sameTimeline(inf, peak.Timeline, larger.Assumed) {
		for i := range inf.Lifetimes {
			inf.Lifetimes[i].Formula = ""
		}
		r.Formula.PeakBytes, r.Formula.PeakFrom = "", 0
	}
}

// gives reports whether a formula has that value; one that is empty or has a
// symbol that is not open does not differ.
func gives(formula string, values map[string]int64, n int64) bool {
	v, ok := valueOf(formula, values)
	return !ok || v == n
}

// sameTimeline reports whether the formulas of the lifetimes add up to a
// timeline. Those that are not all known are not used, and do not differ.
func sameTimeline(inf *Inference, want []memory.Size, values map[string]int64) bool {
	if len(inf.Lifetimes) == 0 {
		return true
	}
	if len(inf.Steps) != len(want) {
		return false
	}
	change := make([]int64, len(want)+1)
	for _, l := range inf.Lifetimes {
		n, ok := valueOf(l.Formula, values)
		if !ok {
			return true
		}
		change[l.First] += n
		change[l.Last+1] -= n
	}
	alive := int64(0)
	for i, size := range want {
		alive += change[i]
		if n, ok := size.Exact(); ok && n != alive+inf.Steps[i].InnerBytes {
			return false
		}
	}
	return true
}

func valueOf(formula string, values map[string]int64) (int64, bool) {
	if formula == "" {
		return 0, false
	}
	d, err := dim.Parse(formula)
	if err != nil {
		return 0, false
	}
	return d.Eval(values)
}
