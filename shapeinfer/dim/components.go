package dim

// independent splits a sum into parts that have no symbol in common, so that each takes its least value whatever the others
// do: the least of the whole is then the sum of the least of the parts. Bounds of symbols count: s <= n ties s to n.
func independent(d Dim) []Dim {
	terms := d.e.terms
	part := make([]int, len(terms)) // a term of the same part, itself at the root
	root := func(i int) int {
		for part[i] != i {
			part[i] = part[part[i]]
			i = part[i]
		}
		return i
	}
	first := map[string]int{} // symbol -> a term that holds it
	for i, t := range terms {
		part[i] = i
		eachSymbol(t, func(name string) {
			if j, seen := first[name]; seen {
				part[root(i)] = root(j)
			} else {
				first[name] = i
			}
		})
	}
	index := map[int]int{}
	var groups [][]term
	for i, t := range terms {
		g, known := index[root(i)]
		if !known {
			g = len(groups)
			index[root(i)] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], t)
	}
	parts := make([]Dim, len(groups))
	for i, g := range groups {
		parts[i] = ofTerms(g)
	}
	return parts
}

// eachSymbol visits the symbols in a term, those inside other atoms and in the bounds of symbols included.
func eachSymbol(t term, visit func(name string)) {
	for _, f := range t.factors {
		if f.atom.kind == symbolAtom {
			visit(f.atom.name)
		}
		for _, arg := range append(f.atom.args, f.atom.upper) {
			if arg.e != nil {
				for _, inner := range arg.terms() {
					eachSymbol(inner, visit)
				}
			}
		}
	}
}
