package report

import (
	"context"
	"slices"
)

// maxAdvised is the number of pieces of advice for which the largest size is
// searched, each of them a search of its own.
const maxAdvised = 5

// advise tries changes to the training at the largest size that fits, or the
// smallest there is, and says how far each of the best would go.
func (a *Analysis) adviseFit(ctx context.Context, f *FitResult, s *fitSearch, opts FitOptions) []Advice {
	at := int64(1)
	switch {
	case f.Largest != nil:
		at = *f.Largest
	case len(f.Table) > 0:
		at = f.Table[0].Value
	}
	now, err := s.at(at)
	if err != nil {
		return nil
	}
	sized, err := a.sized(opts.Symbol, at)
	if err != nil {
		return nil
	}
	list := sized.adviseTraining(ctx, opts.Training, now, trainingReserved)
	list = slices.DeleteFunc(list, func(x Advice) bool { return x.apply == nil }) // a smaller batch is what the search itself finds
	list = list[:min(len(list), maxAdvised)]
	var answers []*answer[int64]
	for i := range list {
		answers = append(answers, begin(&a.opts, "advice on training", func() int64 { return a.largestWith(ctx, &list[i], f, s, opts, at) }))
	}
	for i, x := range answers {
		if n, bug := x.wait(); bug == nil && n > 0 {
			list[i].Largest = &n
		}
	}
	return list
}

// largestWith is the largest size that fits with a change; 0 where none does.
// The change was measured at one size already, and takes at most about as much
// more for each larger one as the training without it.
func (a *Analysis) largestWith(ctx context.Context, change *Advice, f *FitResult, s *fitSearch, opts FitOptions, at int64) int64 {
	changed := opts.Training
	change.apply(&changed)
	opts.Training = changed
	t := newFitSearch(s.symbol, s.most, a.measureAt(ctx, opts))
	t.known[at] = change.PeakBytes
	t.perUnit = s.slopeBelow(at)
	n, _, err := t.largest(f.BudgetBytes)
	if err != nil {
		return 0
	}
	return n
}
