package main

import (
	"os"
	"path/filepath"
	"testing"

	"onnxmem/testdata/corpus"
)

// TestDocumentsAreCurrent fails when a committed copy is not what the command
// writes.
func TestDocumentsAreCurrent(t *testing.T) {
	root := corpus.Root(t)
	docs, err := documents(root, compare(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		old, err := os.ReadFile(filepath.Join(filepath.Dir(root), filepath.FromSlash(d.path)))
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := d.text(old)
		if err != nil {
			t.Error(err)
		} else if string(text) != string(old) {
			t.Errorf("%s is stale: go run ./report/internal/readme", d.path)
		}
	}
}

func TestReplaceSection(t *testing.T) {
	doc := "a\n<!-- x: made by go run ./report/internal/readme -->\nold\n<!-- end of x -->\nb\n"
	got, err := replaceSection([]byte(doc), "x", "new\n")
	if want := "a\n<!-- x: made by go run ./report/internal/readme -->\nnew\n<!-- end of x -->\nb\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"", "<!-- end of x -->\n", "<!-- x: made by go run ./report/internal/readme -->\nno end\n"} {
		if _, err := replaceSection([]byte(bad), "x", "new"); err == nil {
			t.Errorf("%q has no section to replace", bad)
		}
	}
}

func TestPercent(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.023: "2.3%", -0.00057: "-0.1%", 0.00003: "0.003%", 0.000001: "<0.001%"} {
		if got := percent(x); got != want {
			t.Errorf("percent(%v) = %q, want %q", x, got, want)
		}
	}
}
