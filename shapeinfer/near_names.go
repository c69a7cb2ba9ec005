package shapeinfer

import (
	"maps"
	"slices"
	"strings"
)

// This file finds the names that a mistyped one may have meant.

// near lists up to five names close to the one given, all of them when they
// are few.
func near(name string, known map[string]bool) []string {
	names := slices.Sorted(maps.Keys(known))
	distance := make(map[string]int, len(names))
	for _, k := range names {
		distance[k] = editDistance(name, k)
	}
	slices.SortStableFunc(names, func(x, y string) int { return distance[x] - distance[y] })
	return names[:min(len(names), 5)]
}

// editDistance is Levenshtein's, in characters and without regard to case.
func editDistance(a, b string) int {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
