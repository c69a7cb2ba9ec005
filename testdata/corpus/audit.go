package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An AuditFixture is a model with something wrong or risky in it.
type AuditFixture struct {
	Name string // without .onnx
	Path string
	// IDs are the rules that must be raised, Not those that must not. An id that
	// ends in a dash stands for any rule of that family.
	IDs []string `json:"ids"`
	Not []string `json:"not"`
	// Unreadable says that refusing the file is an answer, too.
	Unreadable bool `json:"unreadable"`
}

// ReadAudit lists the audit fixtures, sorted by name.
func ReadAudit(root string) ([]AuditFixture, error) {
	folder := filepath.Join(root, "audit")
	data, err := os.ReadFile(filepath.Join(folder, "expect.json"))
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	var expect map[string]AuditFixture
	if err := decode(data, &expect); err != nil {
		return nil, fmt.Errorf("corpus: audit: %w", err)
	}
	var fixtures []AuditFixture
	for file, f := range expect {
		f.Name, f.Path = strings.TrimSuffix(file, ".onnx"), filepath.Join(folder, file)
		fixtures = append(fixtures, f)
	}
	slices.SortFunc(fixtures, func(a, b AuditFixture) int { return strings.Compare(a.Name, b.Name) })
	return fixtures, nil
}

// Audit is [ReadAudit] for tests.
func Audit(t testing.TB) []AuditFixture {
	t.Helper()
	return fromRoot(t, ReadAudit)
}

// FuzzSeeds are small files to start a fuzz target from: those of the audit,
// and a model of a tool of its own.
func FuzzSeeds(t testing.TB) [][]byte {
	t.Helper()
	const most = 4 << 10 // larger ones slow a target down and find no more
	var seeds [][]byte
	for _, pattern := range []string{Path(t, "audit", "*.onnx"), Path(t, "models", "yalue*.onnx")} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(file) < most {
				seeds = append(seeds, file)
			}
		}
	}
	if len(seeds) == 0 {
		t.Fatal("testdata has no small files")
	}
	return seeds
}
