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

// documents makes all documents.
func documents(testdata string) ([]document, error) {
	truth, err := accuracy.Compare(testdata)
	if err != nil {
		return nil, err
	}
	later, err := accuracy.Compare(filepath.Join(testdata, corpus.Later))
	if err != nil {
		return nil, err
	}
	report, err := example(testdata)
	if err != nil {
		return nil, err
	}
	catalogue := catalogue.New()
	return []document{
		{path: "README.md", sections: map[string]string{
			"example":   report,
			"accuracy":  accuracySummary(truth, later),
			"operators": operatorSummary(catalogue),
		}},
		{path: "report/ACCURACY.md", whole: accuracyPage(truth, later)},
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
