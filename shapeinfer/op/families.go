package op

// families lists the tables of operators, one per file.
func families() [][]Op {
	return [][]Op{
		identityOps,
	}
}
