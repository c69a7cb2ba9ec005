package training

import "onnxmem/report/memory/internal/enum"

// An Optimizer is an update rule, as PyTorch's torch.optim has it, or timm.optim
// where that lacks it.
type Optimizer uint8

// The optimizers.
const (
	Adam Optimizer = iota
	AdamW
	SGD
	Momentum // SGD with momentum
	Nesterov // SGD with Nesterov momentum
	AMSGrad
	Adagrad
	RMSprop
	RMSpropCentered
	RMSpropMomentum
	RMSpropCenteredMomentum
	Adadelta
	Adamax
	NAdam
	RAdam
	Rprop
	ASGD
	Lion
	LAMB
	Sophia
	Adafactor
	Adam8bit // states in blocks of 8 bits
	AdamW8bit
	Muon
)

// Optimizers lists the optimizers, the default first.
func Optimizers() []Optimizer {
	list := make([]Optimizer, len(optimizerTable))
	for i := range list {
		list[i] = Optimizer(i)
	}
	return list
}

// HasFused reports whether the optimizer has an implementation that updates in
// one kernel, without temporaries.
func (o Optimizer) HasFused() bool { return int(o) < len(optimizerTable) && optimizerTable[o].fused }

func optimizerNames() *enum.Names {
	names := make([]string, len(optimizerTable))
	for i := range optimizerTable {
		names[i] = optimizerTable[i].name
	}
	return &enum.Names{Option: "optimizer", Values: names}
}

// ParseOptimizer is the value of a name. The error is an [*OptionError].
func ParseOptimizer(name string) (Optimizer, error) {
	v, err := optimizerNames().Parse(name)
	return Optimizer(v), err
}

// Values lists the names that [ParseOptimizer] takes, the default first.
func (Optimizer) Values() []string { return optimizerNames().Values }

// String is the name that [ParseOptimizer] takes.
func (o Optimizer) String() string { return optimizerNames().String(uint8(o)) }

// MarshalText implements [encoding.TextMarshaler].
func (o Optimizer) MarshalText() ([]byte, error) { return optimizerNames().MarshalText(uint8(o)) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (o *Optimizer) UnmarshalText(name []byte) error { return enum.Unmarshal(o, ParseOptimizer, name) }
