package report

import (
	"context"
	"errors"
	"math"

	"onnxmem/report/finding"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
)

// describeTraining fills the rule of thumb and, where the model can be
// simulated, what a training step takes.
func (a *Analysis) describeTraining(r *Result, p *liveness.Program, w *weights.Set, sim simulation) {
	opts := a.opts.Training
	t := a.emptyTraining()
	r.Training = t
	t.RuleOfThumbBytes = exact(training.RuleOfThumb(w, p.Sum(), p.InputSize(), opts.Optimizer))
	if sim.err != nil {
		t.Reason = whyUnknown(sim.err)
		return
	}
	t.SavedBytes, t.GradientBytes, t.OptimizerBytes = &sim.SavedBytes, &sim.GradientBytes, &sim.OptimizerBytes
	if opts.Dropout.Masks() || sim.SavedWithDropoutBytes > sim.SavedBytes {
		t.SavedWithDropoutBytes = &sim.SavedWithDropoutBytes
	}
	t.FirstStepPeakBytes, t.PeakBytes = &sim.FirstStepPeakBytes, &sim.PeakBytes
	t.PeakPhase, t.PeakNode, t.AtPeak = sim.Phase, sim.PeakNode, sim.AtPeak.Map()
	t.Timeline, t.ReservedBytes, t.Notes = sim.Timeline.Map(), &sim.ReservedBytes, sim.Notes
	a.saved = sim.SavedByNode
	if r.Compute.FLOPs != nil && *r.Compute.FLOPs <= math.MaxInt64/3 {
		// One pass forward, and in the backward pass one for the gradients of
		// inputs and one for those of weights.
		flops := 3 * *r.Compute.FLOPs
		r.Compute.TrainingFLOPs = &flops
	}
}

// A simulation is the outcome of training a model, or why there is none.
type simulation struct {
	*training.Result
	err error
}

func (a *Analysis) simulated(opts training.Options) simulation {
	r, err := a.simulate(opts)
	return simulation{r, err}
}

// emptyTraining says how the model would be trained.
func (a *Analysis) emptyTraining() *Training {
	return &Training{Optimizer: a.opts.Training.Optimizer.String(), Precision: a.opts.Training.Precision.String()}
}

// describeAdvice fills what would make training take less.
func (a *Analysis) describeAdvice(ctx context.Context, r *Result) {
	if t := r.Training; a.opts.Advice && t.PeakBytes != nil {
		t.Advice = a.adviseTraining(ctx, a.opts.Training, *t.PeakBytes, trainingPeak)
	}
}

// whyUnknown is why there are no numbers of training.
func whyUnknown(err error) *finding.Finding {
	var unknown *training.UnknownError
	if errors.As(err, &unknown) {
		return &unknown.Finding
	}
	f := finding.New(finding.TrainingInvalid)
	f.Detail = err.Error()
	return &f
}

// simulate trains the analysed model.
func (a *Analysis) simulate(opts training.Options) (*training.Result, error) {
	if a.trainer == nil {
		a.trainer = training.NewTrainer(a.Numbers, a.stored())
	}
	return a.trainer.Simulate(opts)
}

// trainingPeak is the peak of training in the steady state, in bytes.
func trainingPeak(a *Analysis, opts training.Options) (int64, error) {
	opts.SkipReserved = true
	r, err := a.simulate(opts)
	if err != nil {
		return 0, err
	}
	return r.PeakBytes, nil
}

// trainingReserved is what training takes from a device: the segments that a
// caching allocator reserves for its peak, in bytes.
func trainingReserved(a *Analysis, opts training.Options) (int64, error) {
	r, err := a.simulate(opts)
	if err != nil {
		return 0, err
	}
	return max(r.PeakBytes, r.ReservedBytes), nil
}
