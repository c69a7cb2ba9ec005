package dim

import (
	"maps"
	"slices"
)

// Eval returns the value of d with the symbols bound to numbers. It reports false when a name is missing, when a
// divisor is 0, when the value is not an integer, and when it does not fit.
func (d Dim) Eval(bind map[string]int64) (int64, bool) {
	r, ok := d.value(func(name string) (int64, bool) {
		n, ok := bind[name]
		return n, ok
	})
	return r.num, ok && r.isInt()
}

// binding looks a symbol up.
type binding func(name string) (int64, bool)

func (d Dim) value(bind binding) (rational, bool) {
	if d.e == nil {
		return rational{}, false
	}
	if d.e == integerMark {
		return rational{d.n, 1}, true
	}
	sum := zero
	for _, t := range d.e.terms {
		product := t.coefficient
		for _, f := range t.factors {
			v, ok := f.value(bind)
			if !ok {
				return rational{}, false
			}
			if product, ok = product.mul(v); !ok {
				return rational{}, false
			}
		}
		var ok bool
		if sum, ok = sum.add(product); !ok {
			return rational{}, false
		}
	}
	return sum, true
}

func (f factor) value(bind binding) (rational, bool) {
	v, ok := f.atom.value(bind)
	if !ok {
		return rational{}, false
	}
	n := f.exponent
	if n < 0 {
		if v, ok = v.inverse(); !ok {
			return rational{}, false
		}
		n = -n
	}
	return v.pow(n)
}

func (a *atom) value(bind binding) (rational, bool) {
	if a.kind == symbolAtom {
		n, ok := bind(a.name)
		return rational{n, 1}, ok
	}
	best, ok := a.args[0].value(bind)
	if !ok {
		return rational{}, false
	}
	if a.kind == floorAtom {
		return rational{best.floor(), 1}, true
	}
	for _, arg := range a.args[1:] {
		v, ok := arg.value(bind)
		if !ok {
			return rational{}, false
		}
		if c := v.compare(best); (c < 0) == (a.kind == minAtom) && c != 0 {
			best = v
		}
	}
	return best, true
}

// Subst returns d with symbols replaced by expressions, all at once, in the bounds of data-dependent symbols too.
// Symbols that bind lacks stay.
func (d Dim) Subst(bind map[string]Dim) Dim { return d.subst(bind, true) }

// subst is Subst, and leaves the bounds of symbols alone unless bounds is set: what replaces a symbol by the least that
// it can be says nothing of symbols that are at most what it is.
func (d Dim) subst(bind map[string]Dim, bounds bool) Dim {
	if !d.IsSymbolic() {
		return d
	}
	return d.e.replace(func(a *atom, _ int) (Dim, bool) { return a.subst(bind, bounds) })
}

// EvalPartial is Subst with numbers.
func (d Dim) EvalPartial(bind map[string]int64) Dim {
	dims := make(map[string]Dim, len(bind))
	for name, n := range bind {
		dims[name] = Int(n)
	}
	return d.Subst(dims)
}

// subst returns the atom with symbols replaced, and whether any was.
func (a *atom) subst(bind map[string]Dim, bounds bool) (Dim, bool) {
	if a.kind == symbolAtom {
		if with, ok := bind[a.name]; ok || !bounds || !a.upper.IsSymbolic() {
			return with, ok
		}
		upper := a.upper.subst(bind, true)
		return ofAtom(newDataDependent(a.name, a.bounds.low.num, upper)), upper != a.upper
	}
	args, changed := make([]Dim, len(a.args)), false
	for i, arg := range a.args {
		args[i] = arg.subst(bind, bounds)
		changed = changed || args[i].e != arg.e
	}
	if !changed {
		return Dim{}, false
	}
	switch a.kind {
	case floorAtom:
		return Floor(args[0]), true
	case minAtom, maxAtom:
		return extremum(a.kind, args), true
	}
	return args[0], true
}

// Symbols returns the sorted names of the symbols in d, those within floor, min and so on included.
func (d Dim) Symbols() []string {
	names := map[string]bool{}
	d.collect(names)
	return slices.Sorted(maps.Keys(names))
}

// DataDependentSymbols returns the data-dependent symbols in d, those made by [DataDependent], sorted by name. Those that only stand
// in the bounds of others are left out.
func (d Dim) DataDependentSymbols() []Dim {
	if !d.HasDataDependent() {
		return nil
	}
	atoms := map[string]*atom{}
	d.collectDataDependent(atoms)
	symbols := make([]Dim, 0, len(atoms))
	for _, name := range slices.Sorted(maps.Keys(atoms)) {
		symbols = append(symbols, ofAtom(atoms[name]))
	}
	return symbols
}

func (d Dim) collectDataDependent(atoms map[string]*atom) {
	if !d.HasDataDependent() {
		return
	}
	for _, t := range d.e.terms {
		for _, f := range t.factors {
			if f.atom.bounded {
				atoms[f.atom.name] = f.atom
			}
			for _, arg := range f.atom.args {
				arg.collectDataDependent(atoms)
			}
		}
	}
}

func (d Dim) collect(names map[string]bool) {
	if d.e == nil || d.e == integerMark {
		return
	}
	for _, t := range d.e.terms {
		for _, f := range t.factors {
			if f.atom.kind == symbolAtom {
				names[f.atom.name] = true
			}
			for _, arg := range f.atom.args {
				arg.collect(names)
			}
		}
	}
}

// Polynomial returns the coefficients of d as a polynomial in one symbol, the constant one first, each free of that
// symbol. It reports false where the symbol is a divisor or stands inside a floor, min or max, and for unknown.
func (d Dim) Polynomial(symbol string) (coefficients []Dim, ok bool) {
	if d.e == nil {
		return nil, false
	}
	byPower := map[int][]term{}
	top := 0
	for _, t := range d.terms() {
		power, rest, ok := t.powerOf(symbol)
		if !ok {
			return nil, false
		}
		top = max(top, power)
		byPower[power] = append(byPower[power], rest)
	}
	for power := range top + 1 {
		terms, ok := combine(byPower[power])
		if !ok {
			return nil, false
		}
		coefficients = append(coefficients, ofTerms(terms))
	}
	return coefficients, true
}

// powerOf splits a term into a power of the symbol and a rest that is free of it.
func (t term) powerOf(symbol string) (power int, rest term, ok bool) {
	rest.coefficient = t.coefficient
	for _, f := range t.factors {
		if f.atom.kind == symbolAtom && f.atom.name == symbol {
			power = f.exponent
			continue
		}
		for _, arg := range f.atom.args {
			if slices.Contains(arg.Symbols(), symbol) {
				return 0, term{}, false
			}
		}
		rest.factors = append(rest.factors, f)
	}
	return power, rest, power >= 0
}
