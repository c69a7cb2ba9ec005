package tape

import (
	"slices"
	"strings"

	"onnxmem/report/finding"
)

// An UnknownError says why the memory of training a model is not known.
type UnknownError struct{ finding.Finding }

// unknown is an error of a code, with its arguments filled by set.
func unknown(c finding.Code, set func(*finding.Finding)) *UnknownError {
	e := &UnknownError{finding.New(c)}
	if set != nil {
		set(&e.Finding)
	}
	return e
}

// Error gives the node, what is wrong by the registry, and the arguments.
func (e *UnknownError) Error() string {
	entry, _ := finding.Find(string(e.Code))
	parts := []string{e.Node, strings.ToLower(entry.Title[:1]) + entry.Title[1:], e.Op, e.Tensor, e.Detail}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}
