package shapeinfer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file collects what inference has to say about a model.

// maxOfOneCode bounds the diagnostics of one code, and maxMessage the bytes of
// one message: a wrong file may be wrong in every one of its nodes.
const (
	maxOfOneCode = 1000
	maxMessage   = 2000
)

// diagnostics are those of one inference, each once, in the order in which
// they came.
type diagnostics struct {
	kept []Diagnostic
	seen map[Diagnostic]bool
	more map[string]int // how many came of a code, those that were left out too
}

func (ds *diagnostics) add(d Diagnostic) {
	if ds.seen[d] {
		return
	}
	if ds.more[d.Code]++; ds.more[d.Code] > maxOfOneCode {
		return
	}
	ds.seen[d] = true
	ds.kept = append(ds.kept, d)
}

// full reports whether no further diagnostic of a code is kept, and counts one
// that need not be made then.
func (ds *diagnostics) full(code string) bool {
	if ds.more[code] < maxOfOneCode {
		return false
	}
	ds.more[code]++
	return true
}

// list is what was kept, and how much of each code was not.
func (ds *diagnostics) list() []Diagnostic {
	for _, code := range slices.Sorted(maps.Keys(ds.more)) {
		if n := ds.more[code] - maxOfOneCode; n > 0 {
			ds.kept = append(ds.kept, Diagnostic{Code: code, Severity: ds.severity(code),
				Message: fmt.Sprintf("%d more diagnostics of this kind are left out", n)})
		}
	}
	return ds.kept
}

func (ds *diagnostics) severity(code string) Severity {
	i := slices.IndexFunc(ds.kept, func(d Diagnostic) bool { return d.Code == code })
	return ds.kept[i].Severity
}

func (e *engine) diagnose(s Severity, code, graph, node, format string, args ...any) {
	if e.diagnostics.full(code) {
		return
	}
	e.report(Diagnostic{code, s, graph, node, fmt.Sprintf(format, args...)})
}

func (e *engine) report(ds ...Diagnostic) {
	for _, d := range ds {
		d.Message = shortened(d.Message)
		e.diagnostics.add(d)
	}
}

// shortened cuts a message that long names or shapes of many dims make longer
// than anybody reads.
func shortened(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	cut := maxMessage
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.Clone(s[:cut]) + " ..."
}
