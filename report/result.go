package report

import "onnxmem/report/finding"

// Schema names the version of the JSON form of a Result. Fields are added,
// never renamed or given another meaning.
const Schema = "onnxmem/report/v2"

// A Result is everything that a report says about one model. Sizes are bytes,
// counts are elements or nodes; nil is a number that is not known. Its limits
// are in fields beside it, AtLeast and AtMost, as far as those are known.
//
// A Result and all that it holds is plain data, which nothing changes once it was
// returned: several goroutines may read it.
type Result struct {
	Schema      string            `json:"schema"`
	Model       Model             `json:"model"`
	Bindings    map[string]int64  `json:"bindings"` // sizes that the caller set, by symbol
	Assumptions []finding.Finding `json:"assumptions"`
	Parameters  Parameters        `json:"parameters"`
	Weights     Weights           `json:"weights"`
	Inputs      Inputs            `json:"inputs"`
	Compute     Compute           `json:"compute"`
	Inference   Inference         `json:"inference"`
	Training    *Training         `json:"training,omitempty"`
	Coverage    Coverage          `json:"coverage"`
	Formula     Formula           `json:"formula"`
	Nodes       []Node            `json:"nodes,omitempty"`
	Device      *DeviceCheck      `json:"device,omitempty"`
	Diagnostics []Diagnostic      `json:"diagnostics"`
}

// A Model says which file was read.
type Model struct {
	Path      string           `json:"path"`
	Bytes     int64            `json:"bytes"`
	SHA256    *string          `json:"sha256"` // nil unless asked for: it reads the whole file
	Producer  string           `json:"producer"`
	IRVersion int64            `json:"ir_version"`
	Opsets    map[string]int64 `json:"opsets"` // versions by domain; "" is ai.onnx
	Nodes     int              `json:"nodes"`
}

// Parameters counts elements of stored constants, each stored tensor once.
// Count = Trainable + Buffers + Constants, except for the scales of folded
// BatchNormalizations, which only Trainable and FoldedBatchNorm hold.
type Parameters struct {
	Count           int64             `json:"count"`
	Trainable       int64             `json:"trainable"`
	Buffers         int64             `json:"buffers"`
	Constants       int64             `json:"constants"`
	FoldedBatchNorm int64             `json:"folded_batchnorm"`
	ByDType         map[string]int64  `json:"by_dtype"` // by the name that onnxgraph.DType prints
	Notes           []finding.Finding `json:"notes,omitempty"`
}

// Weights are the stored constants in bytes: in memory, and as the file holds
// them (a sparse tensor stores less than it takes).
type Weights struct {
	Bytes        *int64           `json:"bytes"` // nil where dims or types are wrong
	BytesAtLeast *int64           `json:"bytes_at_least,omitempty"`
	StoredBytes  *int64           `json:"stored_bytes"`
	UnreadBytes  int64            `json:"unread_bytes,omitempty"`   // of tensors that no node reads, part of Bytes: no peak has them
	ByDType      map[string]int64 `json:"bytes_by_dtype,omitempty"` // by the name that onnxgraph.DType prints
	Largest      []WeightTensor   `json:"largest,omitempty"`
	Tensors      []WeightTensor   `json:"tensors,omitempty"` // all of them, in the order of the file, where nodes are listed
	Duplicates   []Duplicate      `json:"duplicates,omitempty"`
}

// A WeightTensor is one stored constant.
type WeightTensor struct {
	Name   string  `json:"name"`
	DType  string  `json:"dtype"`
	Shape  []int64 `json:"shape"`
	Bytes  int64   `json:"bytes"`
	Role   string  `json:"role,omitempty"`    // trainable, frozen, buffer or constant
	UsedBy string  `json:"used_by,omitempty"` // the first node of the main graph that reads it
}

// A Duplicate lists stored constants of equal content.
type Duplicate struct {
	Names []string `json:"names"`
	Bytes int64    `json:"bytes"` // of one of them
}

// Inputs are the graph's inputs, which the caller holds.
type Inputs struct {
	Bytes        *int64 `json:"bytes"`
	BytesAtLeast *int64 `json:"bytes_at_least,omitempty"`
	BytesAtMost  *int64 `json:"bytes_at_most,omitempty"`
}

// Compute counts the work of one forward pass.
type Compute struct {
	MACs           *int64 `json:"macs"`
	MACsAtLeast    *int64 `json:"macs_at_least,omitempty"`
	FLOPs          *int64 `json:"flops"` // 2 x MACs
	TrainingFLOPs  *int64 `json:"training_flops,omitempty"`
	ElementwiseOps *int64 `json:"elementwise_ops,omitempty"`
	TrafficBytes   *int64 `json:"traffic_bytes,omitempty"` // read and written by nodes, weights included
}

// Inference is the memory to run the model once.
type Inference struct {
	SumBytes              *int64            `json:"sum_bytes"`
	SumAtLeast            *int64            `json:"sum_bytes_at_least,omitempty"`
	SumAtMost             *int64            `json:"sum_bytes_at_most,omitempty"`
	ActivationsBytes      *int64            `json:"activations_bytes"`
	ActivationsAtLeast    *int64            `json:"activations_bytes_at_least,omitempty"`
	ActivationsAtMost     *int64            `json:"activations_bytes_at_most,omitempty"`
	PeakBytes             *int64            `json:"peak_bytes"`
	PeakAtLeast           *int64            `json:"peak_bytes_at_least,omitempty"`
	PeakAtMost            *int64            `json:"peak_bytes_at_most,omitempty"`
	PeakActivationBytes   *int64            `json:"peak_activation_bytes"`
	PeakActivationAtLeast *int64            `json:"peak_activation_bytes_at_least,omitempty"`
	PeakActivationAtMost  *int64            `json:"peak_activation_bytes_at_most,omitempty"`
	PeakNode              string            `json:"peak_node"`
	PeakOp                string            `json:"peak_op"`
	LiveAtPeak            []LiveTensor      `json:"live_at_peak"`
	Explanation           []finding.Finding `json:"explanation,omitempty"` // of the peak
	// ArenaBytes and ArenaBestFitBytes are static plans of activations; nil
	// where not all sizes are known.
	ArenaBytes        *int64 `json:"arena_bytes"`
	ArenaBestFitBytes *int64 `json:"arena_best_fit_bytes,omitempty"`
	BestOrderBytes    *int64 `json:"best_order_peak_bytes,omitempty"` // activations at the peak under a better order
	BestOrderExact    bool   `json:"best_order_exact,omitempty"`      // no order needs less
	// Timeline holds the activation bytes that are live while each step runs;
	// Steps says which node a step is, and Lifetimes what is live when.
	Timeline  []int64    `json:"timeline,omitempty"`
	Steps     []Step     `json:"steps,omitempty"`
	Lifetimes []Lifetime `json:"lifetimes,omitempty"`
	Runtime   *Runtime   `json:"runtime"`
	Unknown   []Unknown  `json:"unknown,omitempty"`
}

// A Step is one node that runs, in the order of the file. Calls of local
// functions are replaced by the nodes of the function.
type Step struct {
	Name string `json:"name"`
	Op   string `json:"op"`
	// InnerBytes is what the node's subgraphs take at their own peak, beside the
	// storages whose Lifetimes are listed.
	InnerBytes int64 `json:"inner_bytes,omitempty"`
}

// A Lifetime is the span of steps during which a storage is live, both ends
// included. The sum over the storages that are live in a step and its InnerBytes
// is the step's entry in the timeline.
type Lifetime struct {
	Name    string `json:"name"` // of the value that made it; its views share it
	Bytes   int64  `json:"bytes"`
	AtLeast bool   `json:"at_least,omitempty"` // Bytes is the least that it takes: the size is not known
	// Formula is Bytes over the dynamic dimensions; empty where it is not known.
	Formula string `json:"formula,omitempty"`
	First   int    `json:"first"`
	Last    int    `json:"last"`
	Output  bool   `json:"output,omitempty"` // held for the caller to the end
	Input   bool   `json:"input,omitempty"`  // an input that the caller lets go after its last use
}

// A LiveTensor is a storage that is live at a peak.
type LiveTensor struct {
	Name         string `json:"name"`
	Bytes        *int64 `json:"bytes"`
	BytesAtLeast *int64 `json:"bytes_at_least,omitempty"`
	BytesAtMost  *int64 `json:"bytes_at_most,omitempty"`
	Producer     string `json:"producer,omitempty"`
	NeededBy     string `json:"needed_by"`
}

// A Runtime is what one named runtime would take: the weights, the inputs and
// the most that it requests for activations.
type Runtime struct {
	Name              string            `json:"name"`
	Title             string            `json:"title,omitempty"`
	Settings          map[string]string `json:"settings"` // by runtimes.SettingOptimization
	Bytes             *int64            `json:"bytes"`
	BytesAtLeast      *int64            `json:"bytes_at_least,omitempty"`
	BytesAtMost       *int64            `json:"bytes_at_most,omitempty"`
	ActivationBytes   *int64            `json:"activation_bytes"`
	ActivationAtLeast *int64            `json:"activation_bytes_at_least,omitempty"`
	ActivationAtMost  *int64            `json:"activation_bytes_at_most,omitempty"`
	Measured          bool              `json:"measured"`         // its estimate was compared with the real runtime
	Reason            *finding.Finding  `json:"reason,omitempty"` // why numbers are nil
}

// An Unknown is a tensor whose size is not known, or a node of which it is not
// known what runs inside.
type Unknown struct {
	Name string       `json:"name"` // of the tensor, else of the node
	Op   string       `json:"op"`
	Code finding.Code `json:"code"`
	// Reason is what inference says; render fills it in JSON where it says
	// nothing.
	Reason string `json:"reason"`
}

// Training is the memory of a training step.
type Training struct {
	Optimizer             string            `json:"optimizer"`
	Precision             string            `json:"precision"`
	RuleOfThumbBytes      *int64            `json:"rule_of_thumb_bytes"`
	SavedBytes            *int64            `json:"saved_bytes"`
	SavedWithDropoutBytes *int64            `json:"saved_bytes_with_dropout,omitempty"`
	GradientBytes         *int64            `json:"gradient_bytes"`
	OptimizerBytes        *int64            `json:"optimizer_bytes"`
	FirstStepPeakBytes    *int64            `json:"first_step_peak_bytes"`
	PeakBytes             *int64            `json:"peak_bytes"`
	PeakPhase             string            `json:"peak_phase"` // one of training.PhaseForward ...
	PeakNode              string            `json:"peak_node,omitempty"`
	AtPeak                map[string]int64  `json:"at_peak,omitempty"` // by training.PartParameter ...
	ReservedBytes         *int64            `json:"reserved_bytes"`
	Timeline              map[string]int64  `json:"timeline,omitempty"` // by training.LevelInitial ...
	Advice                []Advice          `json:"advice,omitempty"`   // what saves most comes first
	Notes                 []finding.Finding `json:"notes,omitempty"`
	Reason                *finding.Finding  `json:"reason,omitempty"` // why numbers are nil
}

// Coverage says how much of the graph inference could follow.
type Coverage struct {
	Nodes      int            `json:"nodes"`
	Inferred   int            `json:"inferred"`
	UnknownOps map[string]int `json:"unknown_ops"` // nodes by operator, as domain::Op
}

// Formula gives totals as expressions over the dynamic dimensions.
type Formula struct {
	// PeakBytes holds where every symbol is at least PeakFrom.
	PeakBytes        string `json:"peak_bytes,omitempty"`
	PeakFrom         int64  `json:"peak_bytes_from,omitempty"`
	ActivationsBytes string `json:"activations_bytes,omitempty"`
	InputsBytes      string `json:"inputs_bytes,omitempty"`
	MACs             string `json:"macs,omitempty"`
	// Symbols are the dynamic dimensions, and what they count as in numbers.
	Symbols map[string]int64 `json:"symbols,omitempty"`
}

// A Node is one row of the per-layer table.
type Node struct {
	Name         string   `json:"name"`
	Op           string   `json:"op"`
	Graph        string   `json:"graph"`
	Outputs      []string `json:"outputs"`
	OutputShapes []string `json:"output_shapes,omitempty"`
	Params       int64    `json:"params"`
	WeightBytes  int64    `json:"weight_bytes"`
	OutputBytes  *int64   `json:"output_bytes"`
	SavedBytes   *int64   `json:"saved_bytes"`
	MACs         *int64   `json:"macs"`
}

// A Diagnostic is something that reading or inference has to say.
type Diagnostic struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Graph    string `json:"graph,omitempty"`
	Node     string `json:"node"`
	Message  string `json:"message"`
}
