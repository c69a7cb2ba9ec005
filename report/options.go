package report

import (
	"onnxmem/report/memory"
	"onnxmem/report/memory/runtimes"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// Options steer a report. The zero Options are those of `onnxmem report` without
// flags.
type Options struct {
	Infer    shapeinfer.Options // sizes of dynamic dimensions, values of inputs
	Weights  weights.Options    // how initializers are counted
	Training training.Options   // how the model is trained
	Runtime  runtimes.Runtime   // whose memory is estimated

	FreeInputs  bool // the caller releases inputs after their last use
	ReuseInputs bool // elementwise nodes write over inputs that nothing reads any more

	Top      *int // how many of the largest weights are listed; nil means [DefaultTop]
	PerNode  bool // fill Result.Nodes and Weights.Tensors
	Timeline bool // fill Inference.Timeline, Steps and Lifetimes
	Advice   bool // fill Training.Advice: a simulation for each change

	// PanicOnBug panics where a section runs into a bug of this library. Without
	// it the section is left out, with a diagnostic of code "internal".
	PanicOnBug bool
}

// DefaultTop is the number of largest weights that a report lists.
const DefaultTop = 5

// An OptionError is a value of an option that does not exist.
type OptionError = memory.OptionError

// check refuses values that do not exist, with an [*OptionError].
func (o *Options) check() error {
	if _, err := o.Runtime.MarshalText(); err != nil {
		return err
	}
	if _, err := o.Weights.BatchNorm.MarshalText(); err != nil {
		return err
	}
	return o.Training.Check()
}

func (o *Options) top() int {
	if o.Top == nil {
		return DefaultTop
	}
	return max(*o.Top, 0)
}
