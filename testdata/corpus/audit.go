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
