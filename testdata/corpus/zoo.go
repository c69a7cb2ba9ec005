package corpus

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// A ZooModel is a graph as an exporter wrote it, without its large weights, and
// what ONNX Runtime did with the whole model. Large tensors are external data
// in a file that is not shipped.
type ZooModel struct {
	Model    `json:"-"`
	FileName string `json:"model"`
	Origin   string `json:"origin"`
	Licence  string `json:"licence"`
	// ValueInfo is kept, or removed: then the outputs have no shape either.
	ValueInfo         string         `json:"value_info"`
	ValueInfoCount    int            `json:"value_info_count"`
	Opset             map[string]int `json:"opset"`
	IRVersion         int            `json:"ir_version"`
	Nodes             int            `json:"nodes"`
	NodesWithSubgraph int            `json:"nodes_with_subgraphs"`
	Parameters        ZooParameters  `json:"parameters"`
	// MACs are multiply-accumulates of convolutions, matrix products and
	// attention at the first binding; MACsNote says of which model.
	MACs            *int64    `json:"macs_torch_flop_counter"`
	MACsNote        string    `json:"macs_note"`
	Bindings        []Binding `json:"bindings"`
	ExternalBytes   int64     `json:"external_bytes"`
	ExternalTensors int       `json:"external_tensors"`
	MeasuredOn      string    `json:"ort_measured_on"`
	// DeclaredConflicts are the types that the file declares and a run
	// contradicts: declared, then true.
	DeclaredConflicts map[string][]Type `json:"declared_conflicts"`
}

// ZooParameters counts what the framework's module and the file store; nil
// where the source is no torch module.
type ZooParameters struct {
	Count            *int64 `json:"count"`             // elements of parameters, tied ones once
	Buffers          *int64 `json:"buffers"`           // elements
	InitializerBytes *int64 `json:"initializer_bytes"` // bytes, with subgraphs and functions
}

// A Binding is one run of a zoo model.
type Binding struct {
	Dims    map[string]int64   `json:"dims"`
	Inputs  map[string]Type    `json:"inputs"`
	Feed    map[string]Literal `json:"feed"`
	Tensors map[string]Type    `json:"tensors"` // every output of a node of the main graph
	// SubTensors are those of the subgraphs that ran, by scope: #7.then_branch
	// is that attribute of node 7. SubVarying changed from turn to turn.
	SubTensors map[string]map[string]Type `json:"sub_tensors"`
	SubVarying json.RawMessage            `json:"sub_varying"`
	// DataDependent are tensors whose shape may hang on values; cautious.
	DataDependent       []string `json:"data_dependent"`
	DifferBetweenRuns   []string `json:"differ_between_runs"`
	Missing             []string `json:"missing"`
	ExecutedAsOtherType int      `json:"executed_as_other_type"`
	ORT                 ORTRun   `json:"ort"`
}

// An ORTRun is the memory of one run in ONNX Runtime on the CPU, with graph
// optimisations off and on. All sizes in bytes.
type ORTRun struct {
	Version                     string         `json:"version"`
	PeakRequested               int64          `json:"peak_requested_bytes_opt_disabled"`
	PeakRequestedOptimized      int64          `json:"peak_requested_bytes_opt_all"`
	WeightsInUseBefore          int64          `json:"weights_in_use_before_run"`
	WeightsInUseBeforeOptimized int64          `json:"weights_in_use_before_run_opt_all"`
	InUsePeak                   int64          `json:"in_use_peak_opt_disabled"`
	InUseBefore                 int64          `json:"in_use_before_run_opt_disabled"`
	Order                       ExecutionOrder `json:"order_opt_disabled"`
	Inserted                    map[string]int `json:"inserted"` // kernels that are no node of the model
}

// An ExecutionOrder is the names of main graph nodes as executed, #i for the
// unnamed node i. It is nil where none was recorded.
type ExecutionOrder []string

// sameOrder stands in a record for the order of the model's first binding.
const sameOrder = "as in the first binding"

// UnmarshalJSON reads a list or the words "as in the first binding", which
// leave the order empty but not nil until the whole model is read.
func (o *ExecutionOrder) UnmarshalJSON(data []byte) error {
	var words string
	if json.Unmarshal(data, &words) == nil {
		if words != sameOrder {
			return fmt.Errorf("corpus: order %q", words)
		}
		*o = ExecutionOrder{}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(o))
}

// A Timeline is the memory after each node of the first binding.
type Timeline struct {
	Dims    map[string]int64 `json:"dims"`
	Columns []string         `json:"columns"`
	Steps   []Step           `json:"steps"`
}

// A Step is one executed node and the memory after it.
type Step struct {
	Op          string
	Node        string
	Outputs     []string
	InUseAfter  int64 // bytes requested, above the level before the run
	OutputBytes int64
}

// UnmarshalJSON reads a row: op, node, outputs, bytes after, output bytes.
func (s *Step) UnmarshalJSON(data []byte) error {
	row := []any{&s.Op, &s.Node, &s.Outputs, &s.InUseAfter, &s.OutputBytes}
	want := len(row)
	if err := json.Unmarshal(data, &row); err != nil {
		return err
	}
	if len(row) != want {
		return fmt.Errorf("corpus: step of %d columns", len(row))
	}
	return nil
}

// ReadZoo reads the graphs and their truth, sorted by name.
func ReadZoo(root string) ([]*ZooModel, error) {
	archive, err := openArchive(root, "zoo", "models.zip")
	if err != nil {
		return nil, err
	}
	truth, err := openArchive(root, "zoo", "truth.zip")
	if err != nil {
		return nil, err
	}
	files := models(archive)
	var zoo []*ZooModel
	err = readRecords(truth, "", func(name string, m *ZooModel) error {
		m.Model = Model{Name: name, file: files[name+".onnx"]}
		if m.file == nil {
			return fmt.Errorf("corpus: zoo: the archive lacks %s.onnx", name)
		}
		for i := range m.Bindings {
			if order := &m.Bindings[i].ORT.Order; *order != nil && len(*order) == 0 {
				*order = m.Bindings[0].ORT.Order
			}
		}
		zoo = append(zoo, m)
		return nil
	})
	return zoo, err
}

// Each zoo is read once by each program of tests, which takes a third of a
// second.
var zoo, laterZoo = readOnce(), readOnce(Later)

// readOnce reads the zoo in a folder below the root.
func readOnce(folder ...string) func() ([]*ZooModel, error) {
	return sync.OnceValues(func() ([]*ZooModel, error) {
		root, err := FindRoot()
		if err != nil {
			return nil, err
		}
		return ReadZoo(filepath.Join(append([]string{root}, folder...)...))
	})
}

// Zoo is [ReadZoo] for tests. The models are shared: tests must not change
// them.
func Zoo(t testing.TB) []*ZooModel {
	t.Helper()
	return found(t, zoo)
}

// WholeZoo is [Zoo] and the models that were recorded later.
func WholeZoo(t testing.TB) []*ZooModel {
	t.Helper()
	return slices.Concat(Zoo(t), found(t, laterZoo))
}

func found(t testing.TB, read func() ([]*ZooModel, error)) []*ZooModel {
	t.Helper()
	models, err := read()
	if err != nil {
		t.Fatal(err)
	}
	return models
}

// ZooNamed is one model of the zoo.
func ZooNamed(t testing.TB, name string) *ZooModel {
	t.Helper()
	for _, m := range Zoo(t) {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("the zoo has no %s", name)
	return nil
}

// ReadSteps reads the timelines of the zoo's first bindings by model name.
func ReadSteps(root string) (map[string]*Timeline, error) {
	truth, err := openArchive(root, "zoo", "truth.zip")
	if err != nil {
		return nil, err
	}
	timelines := map[string]*Timeline{}
	err = readRecords[*Timeline](fs.FS(truth), "steps", func(name string, t *Timeline) error {
		timelines[name] = t
		return nil
	})
	return timelines, err
}

// Steps is [ReadSteps] for tests.
func Steps(t testing.TB) map[string]*Timeline {
	t.Helper()
	return fromRoot(t, ReadSteps)
}
