package corpus

import (
	"fmt"
	"testing"
)

// A Report is a small model made after a public bug report, with the right
// answer.
type Report struct {
	Model  `json:"-"`
	Name   string `json:"name"`
	Source string `json:"source"` // owner/repository#number
	Opset  int    `json:"opset"`
	Note   string `json:"note"`     // why the answer is right
	ORT    string `json:"ort_1_30"` // whether ONNX Runtime 1.30 agrees
	ORT132 string `json:"ort_1_32"` // whether ONNX Runtime 1.32 does

	Inputs map[string]Shape `json:"inputs"` // to bind
	Expect map[string]Type  `json:"expect"`
	// SymbolicExpect are the types when nothing is bound.
	SymbolicExpect map[string]Type `json:"symbolic_expect"`
	// ExpectError, when it is not empty, says why the model must be refused or
	// reported.
	ExpectError string `json:"expect_error"`
	// ErrorWithInputs is a binding that must be refused.
	ErrorWithInputs map[string]Shape `json:"error_with_inputs"`
	// Contested says that the authorities disagree: any answer but a crash passes.
	Contested bool          `json:"contested"`
	Memory    *ReportMemory `json:"expect_memory"`
}

// ReportMemory is what a report must say about the memory of such a model;
// nil where the case says nothing.
type ReportMemory struct {
	Params                      *int64 `json:"params"`                           // elements
	ParamsFloat                 *int64 `json:"params_float"`                     // elements of floating point type
	WeightBytes                 *int64 `json:"weight_bytes"`                     // bytes
	InputBytes                  *int64 `json:"input_bytes"`                      // bytes
	NodeOutputBytes             *int64 `json:"sum_node_outputs"`                 // bytes
	PeakInputsKept              *int64 `json:"peak_inputs_kept"`                 // bytes
	PeakInputsFreedAfterLastUse *int64 `json:"peak_inputs_freed_after_last_use"` // bytes
	MatMulMACs                  *int64 `json:"matmul_macs"`
	MACs                        *int64 `json:"macs"`
}

// ReadCases reads the models made after bug reports, sorted by name.
func ReadCases(root string) ([]*Report, error) {
	archive, err := openArchive(root, "cases", "cases.zip")
	if err != nil {
		return nil, err
	}
	files := models(archive)
	var cases []*Report
	err = readRecords(archive, "", func(name string, c *Report) error {
		c.Model = Model{Name: name, file: files[name+".onnx"]}
		if c.file == nil {
			return fmt.Errorf("corpus: cases: the archive lacks %s.onnx", name)
		}
		cases = append(cases, c)
		return nil
	})
	return cases, err
}

// Cases is [ReadCases] for tests.
func Cases(t testing.TB) []*Report {
	t.Helper()
	return fromRoot(t, ReadCases)
}
