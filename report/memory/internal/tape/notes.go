package tape

import (
	"fmt"

	"onnxmem/report/finding"
)

// This file saves what a recording has to say: what it assumed, and why it ended.

func (r *recorder) fail(c finding.Code, set func(*finding.Finding)) {
	if r.err != nil {
		return
	}
	r.err = unknown(c, set)
	if r.node != nil {
		r.err.Node = r.node.label()
	}
}

// invalid ends the recording at a node that contradicts its operator.
func (r *recorder) invalid(format string, args ...any) {
	r.fail(finding.TrainingInvalid, func(f *finding.Finding) { f.Detail = fmt.Sprintf(format, args...) })
}

// A notedKey is what a note is about: each is given once.
type notedKey struct {
	code finding.Code
	op   string
}

// noteOnce adds a finding, once however often it comes up.
func (r *recorder) noteOnce(f finding.Finding) {
	if key := (notedKey{f.Code, f.Op}); !r.noted[key] {
		r.noted[key] = true
		r.t.Notes = append(r.t.Notes, f)
	}
}

// about is a finding about an operator.
func about(c finding.Code, op string) finding.Finding {
	f := finding.New(c)
	f.Op = op
	return f
}
