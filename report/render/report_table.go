package render

import (
	"fmt"
	"io"

	"onnxmem/report"
)

func reportTable(w io.Writer, r *report.Result, _ Style) error {
	_, err := fmt.Fprintln(w, r.Model.Path)
	return err
}
