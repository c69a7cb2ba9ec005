package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Exceptions are the cases that are known not to be exact, by name, each with
// its reason.
type Exceptions map[string]string

// ReadExceptions reads a file of lines of a name, a tab and a reason. Lines
// that begin with # are comments.
func ReadExceptions(path string) (Exceptions, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	list := Exceptions{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, "\t")
		if reason == "" || list[name] != "" {
			return nil, fmt.Errorf("corpus: %s: %q has no reason, or is listed twice", filepath.Base(path), name)
		}
		list[name] = reason
	}
	return list, nil
}

// NotExact are the exceptions in a folder of testdata.
func NotExact(t testing.TB, folder string) Exceptions {
	t.Helper()
	list, err := ReadExceptions(Path(t, folder, "not_exact.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Check fails the test where a case differs and is not listed, and where it is
// listed and does not differ. differs says how; it is empty for an exact case.
func (e Exceptions) Check(t testing.TB, name, differs string) {
	t.Helper()
	switch reason := e[name]; {
	case differs != "" && reason == "":
		t.Errorf("%s: %s", name, differs)
	case differs == "" && reason != "":
		t.Errorf("%s is exact now: take it off the list, where its reason is %q", name, reason)
	}
}
