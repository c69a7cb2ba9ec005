package corpus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A TrainingRecord is what a training step of one PyTorch module holds in
// memory. All sizes in bytes.
type TrainingRecord struct {
	Name        string   `json:"-"`
	Model       string   `json:"model"`
	ONNX        []string `json:"onnx"`          // the zoo's exports of this module
	Variants    []string `json:"onnx_variants"` // exports that a tool changed afterwards
	Description string   `json:"description"`
	Method      string   `json:"method"`
	Torch       string   `json:"torch"`
	Parameters  struct {
		Count          int64 `json:"count"` // elements
		Bytes          int64 `json:"bytes"`
		Trainable      int64 `json:"trainable"` // elements
		TrainableBytes int64 `json:"trainable_bytes"`
	} `json:"parameters"`
	BuffersBytes int64 `json:"buffers_bytes"`
	// Input has symbolic dims named as fields of Run: batch, seq.
	Input map[string]Type `json:"input"`
	// ONNXDims are symbols of the exports to bind besides.
	ONNXDims       map[string]int64    `json:"onnx_dims"`
	AttentionOp    map[string][]string `json:"attention_op"`
	DeviceSpecific bool                `json:"device_specific"` // a CUDA card keeps other tensors
	Notes          []string            `json:"notes"`
	ForwardOps     map[string]int      `json:"forward_ops"`
	MeasuredCPU    json.RawMessage     `json:"measured_cpu"`
	CrossCheck     json.RawMessage     `json:"crosscheck_b8"`
	Runs           []TrainingRun       `json:"runs"`
}

// A TrainingRun is one configuration of a module at one step of training.
type TrainingRun struct {
	Batch      int64  `json:"batch"`
	Seq        int64  `json:"seq"` // 0 where the input has no such dim
	Optimizer  string `json:"optimizer"`
	Foreach    bool   `json:"foreach"`
	Precision  string `json:"precision"`
	Checkpoint string `json:"checkpoint"` // what a checkpointed segment is; empty for none
	Frozen     string `json:"frozen"`     // what needs no gradient; empty for nothing
	Trainable  int64  `json:"trainable"`  // elements, where something is frozen
	Loss       string `json:"loss"`
	Attention  string `json:"attention"` // sdpa, eager or repeat_kv
	// Approximate records should not be compared strictly.
	Approximate bool `json:"approximate"`
	Step        int  `json:"step"` // 1: no states in forward and backward; 3: steady

	PeakBytes           int64          `json:"peak_bytes"`
	Phase               string         `json:"phase"`
	PeakOp              string         `json:"peak_op"`
	AtPeak              Categories     `json:"at_peak"`
	EndForward          Categories     `json:"end_forward"`
	Timeline            PhaseLevels    `json:"timeline"`
	StepTempBytes       int64          `json:"step_temp_bytes"`
	OptimizerBytes      int64          `json:"optstate_bytes"`
	ForwardOutputsBytes int64          `json:"forward_outputs_bytes"`
	Saved               *SavedStorages `json:"saved"`
}

// Categories splits a moment's memory by what it is for, in bytes.
type Categories struct {
	Parameter  int64 `json:"parameter"`
	Buffer     int64 `json:"buffer"`
	Gradient   int64 `json:"gradient"` // of parameters, finished
	Activation int64 `json:"activation"`
	Temp       int64 `json:"temp"`
	OptState   int64 `json:"optstate"`
	Input      int64 `json:"input"`
}

// Sum is the total of all categories.
func (c Categories) Sum() int64 {
	return c.Parameter + c.Buffer + c.Gradient + c.Activation + c.Temp + c.OptState + c.Input
}

// PhaseLevels are the memory between phases and the most in each, in bytes.
type PhaseLevels struct {
	Init          int64 `json:"init"`
	EndForward    int64 `json:"end_forward"`
	AfterBackward int64 `json:"after_backward"`
	AfterStep     int64 `json:"after_step"`
	MaxForward    int64 `json:"max_forward"`
	MaxBackward   int64 `json:"max_backward"`
	MaxStep       int64 `json:"max_step"`
}

// SavedStorages is what autograd holds at the end of forward, without
// parameters, buffers and inputs.
type SavedStorages struct {
	TotalBytes int64 `json:"total_bytes"`
	Storages   int   `json:"unique_storages"`
	// ByOp gives each storage to its first keeper; ByOpGross counts it for each.
	ByOp      map[string]int64 `json:"by_op"`
	ByOpGross map[string]int64 `json:"by_op_gross"`
}

// OptimizerSteps are the states and temporaries of each optimizer's step.
type OptimizerSteps struct {
	Parameters [][]int64 `json:"parameters"` // shapes of the parameters it was measured on
	Unit       string    `json:"unit"`
	// Optimizers by name, then by implementation: foreach, single, fused.
	Optimizers map[string]map[string]OptimizerStep `json:"optimizers"`
}

// An OptimizerStep is in multiples of the bytes of all parameters (PerAll) or
// of the largest one (PerLargest).
type OptimizerStep struct {
	StatePerAll    float64 `json:"state_x_P"`
	TempPerAll     float64 `json:"temp_x_P"`
	TempPerLargest float64 `json:"temp_x_largest"`
	At             string  `json:"at"`
}

// ReadTraining reads the records of training, sorted by name.
func ReadTraining(root string) ([]*TrainingRecord, error) {
	archive, err := openArchive(root, "training", "training.zip")
	if err != nil {
		return nil, err
	}
	var records []*TrainingRecord
	err = readRecords(archive, "", func(name string, r *TrainingRecord) error {
		r.Name = name
		records = append(records, r)
		return nil
	})
	return records, err
}

// Training is [ReadTraining] for tests.
func Training(t testing.TB) []*TrainingRecord {
	t.Helper()
	return fromRoot(t, ReadTraining)
}

// ReadOptimizerSteps reads the measured steps of the optimizers.
func ReadOptimizerSteps(root string) (*OptimizerSteps, error) {
	data, err := os.ReadFile(filepath.Join(root, "training", "optimizer_step.json"))
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	steps := new(OptimizerSteps)
	if err := decode(data, steps); err != nil {
		return nil, fmt.Errorf("corpus: optimizer steps: %w", err)
	}
	return steps, nil
}

// OptimizerStepsOf is [ReadOptimizerSteps] for tests.
func OptimizerStepsOf(t testing.TB) *OptimizerSteps {
	t.Helper()
	return fromRoot(t, ReadOptimizerSteps)
}
