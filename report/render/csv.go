package render

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"onnxmem/report"
)

// reportCSV writes one row a node: sizes are bytes, in full; what is not known
// is empty. Rows of several models follow each other under one head.
func reportCSV(w io.Writer, r *report.Result, style Style) error {
	rows := [][]string{}
	if !style.Continues {
		rows = append(rows, []string{"model", "graph", "node", "op", "outputs", "output_types", "params", "weight_bytes", "output_bytes", "saved_bytes", "macs"})
	}
	for _, n := range r.Nodes {
		rows = append(rows, []string{
			cell(r.Model.Path), cell(n.Graph), cell(n.Name), cell(n.Op), cell(strings.Join(n.Outputs, " ")), cell(strings.Join(n.OutputShapes, " ")),
			strconv.FormatInt(n.Params, 10), strconv.FormatInt(n.WeightBytes, 10), optionalNumber(n.OutputBytes), optionalNumber(n.SavedBytes), optionalNumber(n.MACs),
		})
	}
	return writeCSV(w, rows)
}

// shapesCSV writes one row a tensor.
func shapesCSV(w io.Writer, s *report.ShapesResult) error {
	rows := [][]string{{"graph", "tensor", "type", "bytes", "known", "reason"}}
	for _, t := range s.Tensors {
		rows = append(rows, []string{cell(t.Graph), cell(t.Name), cell(TypeText(t)), optionalNumber(t.Bytes), string(t.Known), cell(t.Reason)})
	}
	return writeCSV(w, rows)
}

func writeCSV(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	if err := out.WriteAll(rows); err != nil {
		return err
	}
	return out.Error()
}

// cell makes a text from a model safe for programs that show tables: one that
// begins like a formula, in full width too, gets an apostrophe, as OWASP's "CSV
// Injection" advises. JSON has names as they are.
func cell(s string) string {
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + s
	}
	return s
}

func optionalNumber(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
