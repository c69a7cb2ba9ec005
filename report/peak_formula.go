package report

import (
	"slices"

	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer/dim"
)

// This file writes the peak of an inference as a formula that holds at every
// size: the maximum over all steps, of which the steps stay that can be the
// largest.

// maxPeakSteps is how many steps a formula of the peak may name. Where more can
// be the largest, each at sizes of its own, nobody reads the formula.
const maxPeakSteps = 6

// peakRanges are the least sizes of the dynamic dimensions at which a formula is
// tried. At sizes of a few elements deep, narrow layers take over that no real
// input reaches; a formula without them is short, and says where it begins.
var peakRanges = []int64{1, 16, 64, 256}

// maxPeakSymbols is over how many dynamic dimensions a formula is written. Models
// have a handful of them.
const maxPeakSymbols = 12

// maxProofs bounds the comparisons of one attempt.
const maxProofs = 200

// peakFormula is the peak in bytes over the dynamic dimensions, for sizes of
// each of at least from; empty where it cannot be written down. held are the
// bytes of the weights that stay in memory.
func (a *Analysis) peakFormula(p *liveness.Program, held int64) (formula string, from int64) {
	if len(a.Symbolic.FreeSymbols) > maxPeakSymbols {
		return "", 0
	}
	for _, from = range peakRanges {
		shift := map[string]dim.Dim{}
		for _, name := range a.Symbolic.FreeSymbols {
			shift[name] = dim.Add(dim.Symbol(name), dim.Int(from-1))
		}
		steps, ok := a.stepFormulas(p, shift)
		if !ok {
			continue
		}
		most, ok := largestFrom(distinct(steps), shift, samplePoints(a.Symbolic.FreeSymbols, from))
		if !ok {
			continue
		}
		total := dim.Add(dim.Int(held), most)
		if !a.opts.FreeInputs {
			total = dim.Add(total, a.symbolicInputs())
		}
		if total.IsKnown() {
			return total.String(), from
		}
	}
	return "", 0
}

// stepFormulas are the bytes that are live while each step runs. shift gives
// the symbols their range: each stands for what it is above the range's start,
// plus that start. ok is false where a size is not known, or where a step runs
// subgraphs or functions, which hold more than the storages of the main graph.
func (a *Analysis) stepFormulas(p *liveness.Program, shift map[string]dim.Dim) (steps []dim.Dim, ok bool) {
	if p.Truncated {
		return nil, false
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Scope != a.Numbers.Main || len(s.Bodies) > 0 || s.Truncated {
			return nil, false
		}
	}
	memo := map[liveness.StorageID]dim.Dim{}
	begins, ends := make([][]dim.Dim, len(p.Steps)), make([][]dim.Dim, len(p.Steps)+1)
	for id, l := range p.Lifetimes(nil) {
		s := &p.Storages[id]
		counts := s.Kind == liveness.Activation || s.Kind == liveness.Folded || s.Kind == liveness.Input && a.opts.FreeInputs
		if !counts || l.Last < l.First {
			continue
		}
		there := a.appears(p, liveness.StorageID(id), memo)
		if n, ok := constantIn(there.Subst(shift)); ok {
			there = dim.Int(n)
		}
		size := dim.Mul(a.symbolicSize(s.Value), there)
		if !size.IsKnown() {
			return nil, false
		}
		begins[l.First] = append(begins[l.First], size)
		ends[l.Last+1] = append(ends[l.Last+1], size)
	}
	live := dim.Int(0)
	for i := range p.Steps {
		live = dim.Sub(dim.Add(live, dim.Sum(begins[i]...)), dim.Sum(ends[i]...))
		if !live.IsKnown() {
			return nil, false
		}
		steps = append(steps, live)
	}
	return steps, true
}

// constantIn is the only value that an expression takes in the range of its
// symbols; ok is false where it may take several.
func constantIn(d dim.Dim) (n int64, ok bool) {
	low, okLow := d.Lower()
	high, okHigh := d.Upper()
	return low, okLow && okHigh && low == high
}

func distinct(list []dim.Dim) []dim.Dim {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(d dim.Dim) bool {
		text := d.String()
		known := seen[text]
		seen[text] = true
		return known
	})
}

// A candidate is an expression that may be the largest.
type candidate struct {
	size    dim.Dim
	shifted dim.Dim // the same where each symbol stands for what it is above the range's start
	samples []int64 // its values at some sizes in the range
}

// largestFrom is the maximum of expressions in the range of their symbols; ok is
// false where too many of them can be the largest.
func largestFrom(list []dim.Dim, shift map[string]dim.Dim, points []map[string]int64) (most dim.Dim, ok bool) {
	var all []candidate
	for _, d := range list {
		c := candidate{size: d, shifted: d.Subst(shift)}
		for _, at := range points {
			n, ok := d.Eval(at)
			if !ok {
				return dim.Unknown(), false
			}
			c.samples = append(c.samples, n)
		}
		all = append(all, c)
	}
	// The largest first, which is the one that most others never exceed.
	slices.SortStableFunc(all, func(x, y candidate) int { return slices.Compare(y.samples, x.samples) })
	var kept []candidate
	proofs := 0
	for i := range all {
		if !neverLargest(&all[i], kept, &proofs) {
			kept = append(kept, all[i])
		}
		if len(kept) > maxPeakSteps || proofs > maxProofs {
			return dim.Unknown(), false
		}
	}
	most = dim.Int(0)
	for _, c := range kept {
		most = dim.Max(most, c.size)
	}
	return most, most.IsKnown()
}

// neverLargest reports whether one of the others is provably never smaller.
// Samples tell most pairs apart without a proof.
func neverLargest(c *candidate, others []candidate, proofs *int) bool {
	for i := range others {
		o := &others[i]
		if !nowhereAbove(c.samples, o.samples) {
			continue
		}
		*proofs++
		if smaller, ok := dim.LessEq(c.shifted, o.shifted); ok && smaller {
			return true
		}
	}
	return false
}

func nowhereAbove(a, b []int64) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

// samplePoints are sizes of the symbols: equal ones, and each one large beside
// small others.
func samplePoints(symbols []string, from int64) []map[string]int64 {
	var points []map[string]int64
	add := func(size func(k int) int64) {
		at := map[string]int64{}
		for k, name := range symbols {
			at[name] = size(k)
		}
		points = append(points, at)
	}
	for _, n := range []int64{64, 0, 1, 7, 511} {
		add(func(int) int64 { return from + n })
	}
	for one := range symbols {
		for _, n := range []int64{31, 1000} {
			add(func(k int) int64 {
				if k == one {
					return from + n
				}
				return from
			})
		}
	}
	return points
}
