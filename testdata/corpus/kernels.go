package corpus

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A Kernel is one executed kernel and the bytes requested after it ran, above
// the level before the first one.
type Kernel struct {
	Op    string
	InUse int64
}

// UnmarshalJSON reads a pair.
func (k *Kernel) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&k.Op, &k.InUse})
}

// ReadKernels reads the kernels that ONNX Runtime executed in the operator
// cases of conformance, by corpus and case: node/test_abs.
func ReadKernels(root string) (map[string][]Kernel, error) {
	f, err := os.Open(filepath.Join(root, "ort", "kernels.jsonl.gz"))
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("corpus: kernels: %w", err)
	}
	kernels := map[string][]Kernel{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var row struct {
			Corpus, Case string
			Steps        []Kernel
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("corpus: kernels: %w", err)
		}
		kernels[row.Corpus+"/"+row.Case] = row.Steps
	}
	return kernels, lines.Err()
}

// Kernels is [ReadKernels] for tests.
func Kernels(t testing.TB) map[string][]Kernel {
	t.Helper()
	return fromRoot(t, ReadKernels)
}
