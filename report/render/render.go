// Package render writes results in the formats that people and programs read.
// A format is one file with one pure function per kind of result, and one
// entry in a table here.
package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"onnxmem/report"
	"onnxmem/report/finding"
)

// A Format is one output format: its name, the file extensions that choose it,
// and the functions that write each kind of result; nil where the format does
// not know that kind. But for JSON, the functions that the Find functions return
// show names as [Printable] has them.
type Format struct {
	Name       string
	Extensions []string
	Report     func(io.Writer, *report.Result, Style) error
	OneReport  bool // a file of this format holds one report and no more
	Exact      bool // the format has names as they are in the file, escaped by its own rules
	Shapes     func(io.Writer, *report.ShapesResult) error
	Fit        func(io.Writer, *report.FitResult, Style) error
}

// A Style steers the formats that people read.
type Style struct {
	Units   Units // of sizes
	PerNode bool  // the table of nodes
	Top     int   // rows of the tables of largest things
	Width   int   // columns of the terminal
	Train   bool  // the training breakdown
	// Option spells an option as the reader sets it, such as a flag of a command
	// line; nil spells "name value".
	Option func(finding.Option) string
	// Continues says that another report stands before this one in the output.
	Continues bool
}

// Formats lists the formats, the default first.
func Formats() []Format {
	return []Format{
		{Name: "table", Report: reportTable, Shapes: shapesTable, Fit: fitTable},
		{Name: "json", Extensions: []string{".json"}, Exact: true, Report: reportJSON, Shapes: shapesJSON, Fit: fitJSON},
		{Name: "csv", Extensions: []string{".csv"}, Report: reportCSV, Shapes: shapesCSV},
		{Name: "md", Extensions: []string{".md", ".markdown"}, Report: reportMarkdown, Shapes: shapesMarkdown},
		{Name: "html", Extensions: []string{".html", ".htm"}, Report: reportHTML, OneReport: true},
	}
}

// FindReport returns the writer of a format for reports.
func FindReport(name string) (func(io.Writer, *report.Result, Style) error, error) {
	f, err := find(name, writesReports)
	if err != nil || f.Exact {
		return f.Report, err
	}
	return func(w io.Writer, r *report.Result, style Style) error { return f.Report(w, printable(r), style) }, nil
}

// FindShapes returns the writer of a format for lists of shapes.
func FindShapes(name string) (func(io.Writer, *report.ShapesResult) error, error) {
	f, err := find(name, writesShapes)
	if err != nil || f.Exact {
		return f.Shapes, err
	}
	return func(w io.Writer, s *report.ShapesResult) error { return f.Shapes(w, printable(s)) }, nil
}

// FindFit returns the writer of a format for fits.
func FindFit(name string) (func(io.Writer, *report.FitResult, Style) error, error) {
	f, err := find(name, writesFits)
	if err != nil || f.Exact {
		return f.Fit, err
	}
	return func(w io.Writer, r *report.FitResult, style Style) error { return f.Fit(w, printable(r), style) }, nil
}

func writesReports(f Format) bool { return f.Report != nil }
func writesShapes(f Format) bool  { return f.Shapes != nil }
func writesFits(f Format) bool    { return f.Fit != nil }

// find is the format of a name, among those that can do something.
func find(name string, can func(Format) bool) (Format, error) {
	for _, f := range Formats() {
		if f.Name == name && can(f) {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("unknown format %q; one of %s", name, names(can))
}

// HoldsOneReport reports whether a file of a format has no room for a second
// report.
func HoldsOneReport(name string) bool {
	return slices.ContainsFunc(Formats(), func(f Format) bool { return f.Name == name && f.OneReport })
}

// ReportFormats names the formats that can show a report.
func ReportFormats() string { return names(writesReports) }

// ShapesFormats names the formats that can list shapes.
func ShapesFormats() string { return names(writesShapes) }

// FitFormats names the formats that can show a fit.
func FitFormats() string { return names(writesFits) }

func names(keep func(Format) bool) string {
	var list []string
	for _, f := range Formats() {
		if keep(f) {
			list = append(list, f.Name)
		}
	}
	return strings.Join(list, ", ")
}

// ByExtension names the format that a file's extension asks for; the default
// format when none does.
func ByExtension(ext string) string {
	for _, f := range Formats() {
		if slices.Contains(f.Extensions, strings.ToLower(ext)) {
			return f.Name
		}
	}
	return Formats()[0].Name
}
