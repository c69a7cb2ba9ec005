package corpus

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The lists of operator schemas: the standard's, those of ONNX Runtime's own
// domains, and those that it adds to the default domain.
const (
	ONNXSchemas       = "onnx"
	ContribSchemas    = "contrib"
	ORTDefaultSchemas = "ort_default"
)

// A Schema is one version of one operator as its standard declares it.
type Schema struct {
	Name       string                     `json:"name"`
	Domain     string                     `json:"domain"` // empty for ai.onnx
	Since      int                        `json:"since"`
	Deprecated bool                       `json:"deprecated"`
	Function   bool                       `json:"function"` // has a body of other operators
	Inputs     []SchemaParameter          `json:"inputs"`
	Outputs    []SchemaParameter          `json:"outputs"`
	Arity      [4]int                     `json:"arity"` // least and most inputs, least and most outputs
	Attributes map[string]SchemaAttribute `json:"attributes"`
	Types      map[string][]string        `json:"types"` // constraints: tensor(float), seq(tensor(int64)) ...
}

// Unbounded is the upper arity of a variadic operator.
const Unbounded = math.MaxInt32

// A SchemaParameter is a formal input or output. Option is Single or empty,
// Optional, or Variadic.
type SchemaParameter struct {
	Name          string `json:"name"`
	Type          string `json:"type"` // a constraint's name or a type
	Option        string `json:"option"`
	Heterogeneous bool   `json:"heterogeneous"`
}

// A SchemaAttribute is a formal attribute; Default is JSON, nil for none.
type SchemaAttribute struct {
	Type     string          `json:"type"` // a name of AttributeProto.AttributeType
	Required bool            `json:"required"`
	Default  json.RawMessage `json:"default"`
}

// ReadSchemas reads every operator version of one of the lists.
func ReadSchemas(root, list string) ([]Schema, error) {
	file, err := os.Open(filepath.Join(root, "schemas", list+".json.gz"))
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("corpus: schemas %s: %w", list, err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, fmt.Errorf("corpus: schemas %s: %w", list, err)
	}
	var record struct {
		Source  string   `json:"source"`
		Licence string   `json:"licence"`
		Schemas []Schema `json:"schemas"`
	}
	if err := decode(data, &record); err != nil {
		return nil, fmt.Errorf("corpus: schemas %s: %w", list, err)
	}
	return record.Schemas, nil
}

// Schemas is [ReadSchemas] for tests.
func Schemas(t testing.TB, list string) []Schema {
	t.Helper()
	return fromRoot(t, func(root string) ([]Schema, error) { return ReadSchemas(root, list) })
}
