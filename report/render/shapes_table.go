package render

import (
	"fmt"
	"io"
	"strings"

	"onnxmem/report"
)

// shapesTable lists one tensor a line: name, type, size, how far it is known,
// and why not further.
func shapesTable(w io.Writer, s *report.ShapesResult) error {
	rows := make([][2]string, len(s.Tensors))
	width := [2]int{6, 4}
	for i, t := range s.Tensors {
		rows[i] = [2]string{tensorName(t), TypeText(t)}
		for k := range width {
			width[k] = max(width[k], min(len([]rune(rows[i][k])), 44))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s  %-*s  %10s  %s\n", width[0], "TENSOR", width[1], "TYPE", "BYTES", "KNOWN")
	for i, t := range s.Tensors {
		size := "?"
		if t.Bytes != nil {
			size = fmt.Sprint(*t.Bytes)
		}
		known := string(t.Known)
		if t.Reason != "" {
			known += ": " + t.Reason
		}
		fmt.Fprintf(&b, "%-*s  %-*s  %10s  %s\n", width[0], rows[i][0], width[1], rows[i][1], size, known)
	}
	for _, d := range s.Diagnostics {
		fmt.Fprintln(&b, diagnosticLine(d))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func tensorName(t report.Tensor) string {
	if t.Graph == "" {
		return t.Name
	}
	return t.Graph + ": " + t.Name
}

// TypeText prints a type as a person would write it: FLOAT[1,batch,?].
func TypeText(t report.Tensor) string {
	name := "?"
	if t.DType != nil {
		name = *t.DType
	}
	if t.Shape == nil {
		return name + " of unknown rank"
	}
	dims := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = "?"
		if d != nil {
			dims[i] = fmt.Sprint(d)
		}
	}
	return name + "[" + strings.Join(dims, ",") + "]"
}

func diagnosticLine(d report.Diagnostic) string {
	where := d.Node
	if d.Graph != "" {
		where = d.Graph + "/" + where
	}
	if where != "" {
		where = " " + where + ":"
	}
	return fmt.Sprintf("%s [%s]%s %s", d.Severity, d.Code, where, d.Message)
}
