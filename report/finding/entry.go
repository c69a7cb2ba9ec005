package finding

import (
	"cmp"
	"slices"
	"strings"
)

// A Kind is what a code belongs to.
type Kind string

// The kinds, in the order in which they are listed.
const (
	File       Kind = "Reading the file"
	Data       Kind = "Reading weights"
	Inference  Kind = "Type inference"
	Assumption Kind = "Assumptions"
	Weights    Kind = "Weights and parameters"
	Peak       Kind = "The inference peak"
	Unknown    Kind = "What is not known"
	Training   Kind = "Training"
	Advice     Kind = "Advice on training"
	Fitting    Kind = "Fit"
)

// Kinds lists the kinds.
func Kinds() []Kind {
	return []Kind{File, Data, Inference, Assumption, Weights, Peak, Unknown, Training, Advice, Fitting}
}

// An Entry explains one code.
type Entry struct {
	Code     Code
	Kind     Kind
	Severity Severity // the usual one
	Title    string   // what happened, in a few words
	Meaning  string
	Example  string // a case in which the code comes up
	Remedy   string // what to do; empty where nothing is to be done
}

// Entries lists all codes by kind, each kind in the order in which its codes
// were added.
func Entries() []Entry {
	return slices.Concat(fileEntries, dataEntries, inferenceEntries, assumptionEntries, weightEntries, peakEntries, unknownEntries, trainingEntries, adviceEntries, fitEntries)
}

// Find returns the entry of a code.
func Find(code string) (Entry, bool) {
	all := Entries()
	i := slices.IndexFunc(all, func(e Entry) bool { return string(e.Code) == code })
	if i < 0 {
		return Entry{}, false
	}
	return all[i], true
}

// Near lists the codes that a mistyped one may have meant, the closest first.
func Near(code string) []Code {
	type candidate struct {
		code     Code
		distance int
	}
	var list []candidate
	for _, e := range Entries() {
		d := editDistance(strings.ToLower(code), string(e.Code))
		if code != "" && strings.Contains(string(e.Code), strings.ToLower(code)) {
			d = 0
		}
		list = append(list, candidate{e.Code, d})
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	const most = 5
	var near []Code
	for _, c := range list[:most] {
		near = append(near, c.code)
	}
	return near
}

// editDistance is Levenshtein's, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
