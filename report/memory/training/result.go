package training

import "onnxmem/report/finding"

// The phases of a training step, as Result.Phase names them.
const (
	PhaseForward  = "forward"
	PhaseBackward = "backward"
	PhaseStep     = "step"
)

// A Breakdown divides a moment's memory by what it is for, in bytes.
type Breakdown struct {
	Parameter       int64
	Buffer          int64
	Gradient        int64 // of parameters, finished
	Activation      int64 // made in forward, or again for a checkpoint
	Temporary       int64 // gradients of activations, the optimizer's temporaries
	OptimizerStates int64
	Input           int64
}

// The parts of a [Breakdown], as the keys of its map.
const (
	PartParameter       = "parameter"
	PartBuffer          = "buffer"
	PartGradient        = "gradient"
	PartActivation      = "activation"
	PartTemporary       = "temporary"
	PartOptimizerStates = "optimizer_states"
	PartInput           = "input"
)

// Sum is the whole.
func (s Breakdown) Sum() int64 {
	return s.Parameter + s.Buffer + s.Gradient + s.Activation + s.Temporary + s.OptimizerStates + s.Input
}

// Map holds all parts by their names.
func (s Breakdown) Map() map[string]int64 {
	return map[string]int64{
		PartParameter: s.Parameter, PartBuffer: s.Buffer, PartGradient: s.Gradient, PartActivation: s.Activation,
		PartTemporary: s.Temporary, PartOptimizerStates: s.OptimizerStates, PartInput: s.Input,
	}
}

// A Timeline holds the levels between the phases of a step and the most in
// each, in bytes.
type Timeline struct {
	Initial, EndForward, AfterBackward, AfterStep int64
	MaxForward, MaxBackward, MaxStep              int64
}

// The levels of a [Timeline], as the keys of its map.
const (
	LevelInitial       = "initial" // before the forward pass
	LevelEndForward    = "end_forward"
	LevelAfterBackward = "after_backward"
	LevelAfterStep     = "after_step" // of the optimizer
	LevelMaxForward    = "max_forward"
	LevelMaxBackward   = "max_backward"
	LevelMaxStep       = "max_step"
)

// Map holds all levels by their names.
func (t Timeline) Map() map[string]int64 {
	return map[string]int64{
		LevelInitial: t.Initial, LevelEndForward: t.EndForward, LevelAfterBackward: t.AfterBackward, LevelAfterStep: t.AfterStep,
		LevelMaxForward: t.MaxForward, LevelMaxBackward: t.MaxBackward, LevelMaxStep: t.MaxStep,
	}
}

// A Result is the memory of a training step. All sizes are bytes.
type Result struct {
	ParameterBytes int64 // trained or not
	BufferBytes    int64
	InputBytes     int64
	GradientBytes  int64 // of all parameters that train
	OptimizerBytes int64 // states
	// SavedBytes is what the derivatives keep at the end of the forward pass,
	// without parameters, buffers, inputs and dropout masks;
	// SavedWithDropoutBytes has the masks of Options.Dropout.
	SavedBytes            int64
	SavedWithDropoutBytes int64
	// SavedByOp gives each saved storage to the first kind of autograd node that
	// saves it; SavedByNode to the node of the main graph behind it, by its index,
	// with what a call or a branch has inside and
	// without masks.
	SavedByOp   map[string]int64
	SavedByNode map[int32]int64

	// PeakBytes is that of the steady state, when the optimizer has its states
	// in all phases; in the first step they are made at the end.
	PeakBytes          int64
	FirstStepPeakBytes int64
	Phase              string // in which the steady state's peak falls
	PeakNode           string // label of the ONNX node at the peak; empty in the step
	AtPeak             Breakdown
	Timeline           Timeline // of the steady state
	FirstTimeline      Timeline

	// ReservedBytes is what PyTorch's caching allocator takes from the device
	// for the steady state: rounded blocks in whole segments.
	ReservedBytes int64

	Notes []finding.Finding // what the numbers assume and leave out
}
