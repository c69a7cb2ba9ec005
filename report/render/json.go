package render

import (
	"encoding/json"
	"io"

	"onnxmem/report"
)

// JSON writes a value indented, with the names of tensors as they are rather
// than escaped for HTML. Characters that are not printable are escaped, so that a
// terminal may show them.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(jsonEscaper{w})
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}

func reportJSON(w io.Writer, r *report.Result, style Style) error {
	return JSON(w, style.explained(r))
}

func shapesJSON(w io.Writer, s *report.ShapesResult) error { return JSON(w, s) }
