package training

import (
	"slices"

	"onnxmem/report/memory/internal/ref"
	"onnxmem/report/memory/internal/tape"
)

// run simulates the first step and the steady state over a tape.
func (p *plan) run(t *tape.Tape) (*Result, error) {
	res := &Result{
		ParameterBytes: t.ParameterBytes, BufferBytes: t.BufferBytes, InputBytes: t.InputBytes,
		Notes: slices.Clone(t.Notes), SavedByOp: map[string]int64{}, SavedByNode: map[int32]int64{},
	}
	segments := p.segments(t, res)
	s := newPass(t, p, segments)
	s.forward()
	s.backward()

	size := p.Precision.stateBytes()
	var trained []tape.Param
	for id, param := range t.Params.All() {
		if s.reached.Get(id) {
			trained = append(trained, *param)
			res.GradientBytes += param.Bytes
			res.OptimizerBytes += p.optimizer.state(param.Dims, size)
			if p.Precision == BF16Master {
				res.OptimizerBytes += 4 * elements(param.Dims)
			}
		}
	}
	temps := p.optimizer.temporaries(trained, size, !p.ForLoop, p.Fused)
	p.tally(res, s)
	shards := int64(1)
	if p.Zero > 0 {
		shards = int64(p.GPUs)
		res.OptimizerBytes, temps = split(res.OptimizerBytes, shards), split(temps, shards)
	}
	if p.Zero > 1 {
		res.GradientBytes = split(res.GradientBytes, shards)
	}

	first := s.timeline(0, res.OptimizerBytes, temps)
	if p.optimizer.early {
		first = s.timeline(res.OptimizerBytes, 0, temps)
	}
	steady := s.timeline(res.OptimizerBytes, 0, temps)
	res.FirstTimeline, res.Timeline = first.Timeline, steady.Timeline
	res.FirstStepPeakBytes = first.peak.Sum()
	res.PeakBytes, res.AtPeak, res.Phase, res.PeakNode = steady.peak.Sum(), steady.peak, steady.phase, steady.node
	if !p.SkipReserved {
		res.ReservedBytes = p.reserve(s, res, trained, temps)
	}
	p.explain(t, res)
	return res, nil
}

// split is a part's size when n ranks share something.
func split(bytes, n int64) int64 { return (bytes + n - 1) / n }

// tally adds up what the derivatives keep at the end of the forward pass.
func (p *plan) tally(res *Result, s *pass) {
	seen := ref.TableOf[tape.Storage, bool](&s.t.Storages)
	masks := int64(0)
	for i := range s.t.Ops {
		op := &s.t.Ops[i]
		saved := op.Saved
		if k := s.segmentOf[i]; k >= 0 {
			if i != s.segments[k].first {
				continue
			}
			saved = s.segments[k].inputs
		}
		for _, id := range saved {
			if seen.Get(id) {
				continue
			}
			seen.Set(id, true)
			st := s.t.Storages.At(id)
			if st.Mask {
				masks += st.Bytes
			} else {
				res.SavedBytes += st.Bytes
				res.SavedByNode[op.Root] += st.Bytes
			}
			res.SavedByOp[op.Kind] += st.Bytes
		}
	}
	for _, b := range s.lossSaved {
		res.SavedBytes += b.bytes
		res.SavedByOp[b.kind] += b.bytes
	}
	res.SavedWithDropoutBytes = res.SavedBytes + masks
}

// A stepPeak is the highest point of a step.
type stepPeak struct {
	Timeline
	peak  Breakdown
	phase string
	node  string
}

// timeline puts the passes and the update together: states are what the
// optimizer keeps already, fresh what it makes in its step.
func (s *pass) timeline(states, fresh, temps int64) stepPeak {
	base := Breakdown{Parameter: s.params, Buffer: s.t.BufferBytes, Input: s.t.InputBytes, OptimizerStates: states, Gradient: s.held}
	at := func(x Breakdown) Breakdown {
		x.Parameter, x.Buffer, x.Input, x.OptimizerStates = base.Parameter, base.Buffer, base.Input, base.OptimizerStates
		return x
	}
	var m stepPeak
	m.Initial = base.Sum()
	forward, backward := at(s.forwardPeak.split), at(s.backwardPeak.split)
	m.MaxForward, m.MaxBackward = forward.Sum()+s.gathered, backward.Sum()+s.gathered
	m.EndForward = at(s.forwardEnd).Sum()
	after := at(s.backwardEnd)
	m.AfterBackward = after.Sum()
	after.OptimizerStates += fresh
	m.AfterStep = after.Sum()
	step := after
	step.Temporary += temps
	m.MaxStep = step.Sum()
	forward.Temporary += s.gathered
	backward.Temporary += s.gathered
	m.peak, m.phase = step, PhaseStep
	if m.MaxBackward >= m.MaxStep {
		m.peak, m.phase, m.node = backward, PhaseBackward, s.backwardPeak.at.Label()
	}
	if m.MaxForward > max(m.MaxBackward, m.MaxStep) {
		m.peak, m.phase, m.node = forward, PhaseForward, s.forwardPeak.at.Label()
	}
	return m
}
