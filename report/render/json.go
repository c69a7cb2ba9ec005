package render

import (
	"encoding/json"
	"io"

	"onnxmem/report"
)

// JSON writes any value as the program prints JSON: indented, and with names
// of tensors as they are rather than escaped for HTML. What is not printable in
// them is escaped, so that a terminal may show it.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(jsonEscaper{w})
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}

func reportJSON(w io.Writer, r *report.Result, _ Style) error { return JSON(w, r) }

func shapesJSON(w io.Writer, s *report.ShapesResult) error { return JSON(w, s) }
