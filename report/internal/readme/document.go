package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"onnxmem/report/internal/accuracy"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/testdata/corpus"
)

// A document is a file of which all, or the sections between markers, are
// generated.
type document struct {
	path     string            // from the repository's root, with slashes
	whole    string            // the text of a file that is generated as a whole
	sections map[string]string // by the name in their markers
}

// comparisons are the recorded runs beside their estimates, of the models that
// the estimates were made with and of those that were recorded later.
type comparisons struct{ first, later *accuracy.Comparison }

// compareAll makes a report on every recorded run.
func compareAll(testdata string) (c comparisons, err error) {
	if c.first, err = accuracy.Compare(testdata); err != nil {
		return c, err
	}
	c.later, err = accuracy.Compare(filepath.Join(testdata, corpus.Later))
	return c, err
}

// documents makes all documents.
func documents(testdata string, c comparisons) ([]document, error) {
	report, err := example(testdata)
	if err != nil {
		return nil, err
	}
	catalogue := catalogue.New()
	return []document{
		{path: "README.md", sections: map[string]string{
			"example":   report,
			"accuracy":  accuracySummary(c.first, c.later),
			"operators": operatorSummary(catalogue),
		}},
		{path: "report/finding/CODES.md", whole: codesPage()},
		{path: "report/ACCURACY.md", whole: accuracyPage(c.first, c.later)},
		{path: "shapeinfer/op/OPERATORS.md", whole: operatorPage(catalogue)},
	}, nil
}

// text is the document's new text, given the old one.
func (d document) text(old []byte) ([]byte, error) {
	if d.sections == nil {
		return []byte(d.whole), nil
	}
	text := old
	for name, section := range d.sections {
		var err error
		if text, err = replaceSection(text, name, section); err != nil {
			return nil, fmt.Errorf("%s: %w", d.path, err)
		}
	}
	return text, nil
}

// replaceSection puts text between the markers of a section, which stay.
func replaceSection(doc []byte, name, text string) ([]byte, error) {
	begin := []byte("<!-- " + name + ": made by go run ./report/internal/readme -->\n")
	end := []byte("<!-- end of " + name + " -->\n")
	from := bytes.Index(doc, begin)
	if from < 0 {
		return nil, fmt.Errorf("no line %q", bytes.TrimSpace(begin))
	}
	from += len(begin)
	n := bytes.Index(doc[from:], end)
	if n < 0 {
		return nil, fmt.Errorf("no line %q after the first marker", bytes.TrimSpace(end))
	}
	return bytes.Join([][]byte{doc[:from], []byte(text), doc[from+n:]}, nil), nil
}
