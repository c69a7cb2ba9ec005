package corpus

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The conformance corpora, in the order of testdata/README.md. The first four
// hold operator cases (Inputs, Feed, Outputs), the others inference cases
// (Expect, At).
const (
	Node         = "node"
	NodeExpanded = "node_expanded"
	Versions     = "versions"
	Contrib      = "contrib"
	Infer        = "infer"
	Symbolic     = "symbolic"
)

// A Case is one line of a conformance manifest: a model and the types that
// inference must find in it.
type Case struct {
	Model `json:"-"`
	Name  string `json:"name"`
	File  string `json:"file"`

	// Op is the operator under test, domain.Name outside ai.onnx; Ops the
	// kinds of node of an inference case; BodyOps those of an expanded one.
	Op      string         `json:"op"`
	Ops     []string       `json:"ops"`
	BodyOps []string       `json:"body_ops"`
	Opset   map[string]int `json:"opset"`
	Since   int            `json:"since"`
	// How says where the answer is from: run, reference or documentation.
	How string `json:"how"`

	Inputs map[string]Type    `json:"inputs"`
	Feed   map[string]Literal `json:"feed"`
	// Outputs has a nil entry for nothing; an absent optional is Absent.
	Outputs map[string]Type `json:"outputs"`

	// KnownFrom is types when the types of the inputs decide every output, feed
	// when their values are needed too; empty when no public tool finds all.
	KnownFrom string `json:"known_from"`
	// DataDependent and UntypedInputs make unknown dims pass; DataFed says that
	// the contents which decide are in Feed.
	DataDependent bool     `json:"data_dependent"`
	DataFed       bool     `json:"data_fed"`
	UntypedInputs []string `json:"untyped_inputs"`
	// Dynamic are inputs declared with symbols in place of some dims.
	Dynamic    []string `json:"dynamic"`
	Deprecated bool     `json:"deprecated"`

	// ExpectError says that the model is wrong and must be reported; ErrorKind
	// is type, shape or other.
	ExpectError bool   `json:"expect_error"`
	ErrorKind   string `json:"error_kind"`
	// Disputed holds the other authority's shape of an output; either passes.
	Disputed map[string]Shape `json:"disputed"`

	// Expect are the types that an inference case must reach.
	Expect map[string]Type `json:"expect"`
	At     []Evaluation    `json:"at"`
	// DataProp and Strict are how ONNX's own inference was called, Source and
	// Confirmed where the answer is from.
	DataProp    bool   `json:"data_prop"`
	Strict      bool   `json:"strict"`
	Source      string `json:"source"`
	Confirmed   string `json:"confirmed"`
	Weak        bool   `json:"weak"`
	Declared    bool   `json:"declared"`
	Seeded      bool   `json:"seeded"`
	TypeInvalid bool   `json:"type_invalid"`
}

// An Evaluation holds the real shapes of a symbolic case with its symbols
// bound to numbers.
type Evaluation struct {
	Bind  map[string]int64 `json:"bind"`
	Shape map[string]Shape `json:"shape"`
	How   string           `json:"how"`
}

// FreeOutputs reports whether an unknown dim or rank passes: the contents of
// tensors, or types that the model does not declare, decide. A number that is
// not the recorded one is wrong all the same.
func (c *Case) FreeOutputs() bool {
	return c.DataDependent || len(c.UntypedInputs) > 0
}

// ReadManifest reads one conformance corpus, sorted by name.
func ReadManifest(root, name string) ([]*Case, error) {
	folder := filepath.Join(root, "conformance", name)
	archive, err := openArchive(folder, "models.zip")
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(folder, "manifest.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	var cases []*Case
	files := models(archive)
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		c := new(Case)
		if err := decode(lines.Bytes(), c); err != nil {
			return nil, fmt.Errorf("corpus: %s manifest, case %d: %w", name, len(cases)+1, err)
		}
		c.Model = Model{Name: strings.TrimSuffix(c.File, ".onnx"), file: files[c.File]}
		if c.file == nil {
			return nil, fmt.Errorf("corpus: %s: the archive lacks %s", name, c.File)
		}
		cases = append(cases, c)
	}
	return cases, lines.Err()
}

// Manifest is [ReadManifest] for tests.
func Manifest(t testing.TB, name string) []*Case {
	t.Helper()
	return fromRoot(t, func(root string) ([]*Case, error) { return ReadManifest(root, name) })
}
