package training

import (
	"fmt"

	"onnxmem/report/memory/tape"
)

// explain adds what a person should know about the numbers.
func (p *plan) explain(t *tape.Tape, res *Result) {
	if n := t.FoldedBatchNorms; n > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("%d BatchNormalizations were folded into convolutions by the exporter; training has them back, with their saved inputs", n))
	}
}
