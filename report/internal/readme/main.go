// Command readme writes the generated parts of the documentation: the tables
// of README.md between their markers, and the long tables beside the code that
// they are of.
//
//	go run ./report/internal/readme          writes what changed
//	go run ./report/internal/readme -check   says what would change, and fails if anything would
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"onnxmem/testdata/corpus"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail when something would change")
	flag.Parse()
	if err := update(*check); err != nil {
		fmt.Fprintln(os.Stderr, "readme: "+err.Error())
		os.Exit(1)
	}
}

// update brings the documents up to date.
func update(check bool) error {
	testdata, err := corpus.FindRoot()
	if err != nil {
		return err
	}
	c, err := compareAll(testdata)
	if err != nil {
		return err
	}
	docs, err := documents(testdata, c)
	if err != nil {
		return err
	}
	stale := 0
	for _, d := range docs {
		path := filepath.Join(filepath.Dir(testdata), filepath.FromSlash(d.path))
		old, err := os.ReadFile(path)
		if err != nil && (d.sections != nil || !os.IsNotExist(err)) {
			return err
		}
		text, err := d.text(old)
		if err != nil {
			return err
		}
		if bytes.Equal(old, text) {
			continue
		}
		stale++
		fmt.Println(d.path)
		if !check {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				return err
			}
		}
	}
	if check && stale > 0 {
		return fmt.Errorf("%d documents are stale: go run ./report/internal/readme", stale)
	}
	return nil
}
