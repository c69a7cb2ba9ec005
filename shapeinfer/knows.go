package shapeinfer

// Knows reports whether some version of an operator is in the catalogue. Local
// functions of the same name do not count.
func Knows(domain, name string) bool { return knownOperators().Has(domain, name) }
