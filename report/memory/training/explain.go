package training

import (
	"onnxmem/report/finding"
	"onnxmem/report/memory/internal/tape"
)

// explain adds what a person should know about the numbers.
func (p *plan) explain(t *tape.Tape, res *Result) {
	note := func(f finding.Finding) { res.Notes = append(res.Notes, f) }
	for i := range res.Notes {
		if res.Notes[i].Code == finding.DropoutAssumed {
			res.Notes[i].Bytes = res.SavedWithDropoutBytes - res.SavedBytes
		}
	}
	if res.GradientBytes == 0 {
		note(finding.New(finding.NothingTrains))
	}
	if p.Loss == LossSum {
		if v, classes := largeProjection(t); !v.None() {
			f := finding.New(finding.LargeVocabulary)
			f.Count, f.Bytes = classes, 4*t.Vars.At(v).Elements()
			note(f)
		}
	}
	if p.Accumulate > 1 {
		f := finding.New(finding.GradientsAccumulated)
		f.Count = int64(p.Accumulate)
		note(f)
	}
	if p.Precision.autocast() {
		note(finding.New(finding.AutocastCopies))
	}
}

// largeProjection is an output of a linear layer with so many classes that its
// loss matters.
func largeProjection(t *tape.Tape) (tape.VarID, int64) {
	const many = 4096
	for _, v := range t.Outputs {
		d := t.Vars.At(v).Dims
		if k := len(d); k >= 2 && d[k-1] >= many {
			return v, d[k-1]
		}
	}
	return tape.VarID{}, 0
}
