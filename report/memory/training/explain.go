package training

import (
	"fmt"

	"onnxmem/report/memory/internal/tape"
)

// explain adds what a person should know about the numbers.
func (p *plan) explain(t *tape.Tape, res *Result) {
	note := func(format string, args ...any) { res.Notes = append(res.Notes, fmt.Sprintf(format, args...)) }
	if res.GradientBytes == 0 {
		note("nothing trains: no parameter gets a gradient (the weights are frozen, quantised, or made by nodes)")
	}
	if p.Loss == LossSum {
		if v, classes := largeProjection(t); !v.None() {
			x := t.Vars.At(v)
			note("the last layer tells %d classes apart; a cross entropy keeps their log-probabilities and makes a gradient of that size, %d bytes each: --loss cross_entropy counts them", classes, 4*x.Elements())
		}
	}
	if p.Accumulate > 1 {
		note("gradients of earlier passes are there from the start, since %d passes add up to one step", p.Accumulate)
	}
	if p.Precision.autocast() {
		note("autocast keeps copies of the weights in 16 bits through forward and backward")
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
