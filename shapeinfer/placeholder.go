package shapeinfer

import (
	"fmt"
	"slices"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
)

// This file tells names of dims from texts that stand for having none.

// placeholders are what exporters and their users write as dim_param for a dim
// that they do not name. Letter case does not count.
var placeholders = []string{
	"?", "*", "-", "_", ".", "..", "...", ":", "#",
	"none", "null", "nil", "nan", "n/a", "any", "unk", "unk_", "unk__", "unknown", "undefined", "undef", "unspecified",
}

// isPlaceholder reports whether the text of a dim_param is no name: equal ones
// need not be equal sizes. A number is none either: whoever writes "-1" means
// a dynamic dim, and a size has a field of its own.
func isPlaceholder(param string) bool {
	if param == "" {
		return false
	}
	text := strings.ToLower(strings.TrimSpace(param))
	if text == "" || slices.Contains(placeholders, text) {
		return true
	}
	if c := text[0]; c != '-' && c != '+' && c != '(' && (c < '0' || c > '9') {
		return false
	}
	d, err := dim.Parse(text)
	return err == nil && !d.IsSymbolic()
}

// notePlaceholders says which symbols stand for the dims of an input whose
// dim_param is a placeholder.
func (b *binding) notePlaceholders(v *onnxgraph.Value) {
	if _, given := b.givenShape(v.Name); given || b.symbols.plain {
		return
	}
	var texts, names []string
	for axis, d := range declaredDims(v.Declared) {
		if isPlaceholder(d.Param) {
			texts = append(texts, fmt.Sprintf("%q", d.Param))
			names = append(names, b.symbols.unnamed(v.Name, axis))
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(texts)
	b.notes = append(b.notes, Diagnostic{Code: "placeholder-dim", Severity: Note,
		Message: fmt.Sprintf("input %q: a dim of the name %s counts as one without a name; set it as %s", v.Name, strings.Join(slices.Compact(texts), " or "), strings.Join(names, ", "))})
}
