package training

import "onnxmem/report/memory/internal/enum"

// A Loss is the loss that is trained for.
type Loss uint8

// The losses.
const (
	LossSum          Loss = iota // the sum of all outputs
	LossCrossEntropy             // the cross entropy of the first output that has classes
)

func lossNames() *enum.Names {
	return &enum.Names{Option: "loss", Values: []string{"sum", "cross_entropy"}}
}

// ParseLoss is the value of a name. The error is an [*OptionError].
func ParseLoss(name string) (Loss, error) {
	v, err := lossNames().Parse(name)
	return Loss(v), err
}

// Values lists the names that [ParseLoss] takes, the default first.
func (Loss) Values() []string { return lossNames().Values }

// String is the name that [ParseLoss] takes.
func (l Loss) String() string { return lossNames().String(uint8(l)) }

// MarshalText implements [encoding.TextMarshaler].
func (l Loss) MarshalText() ([]byte, error) { return lossNames().MarshalText(uint8(l)) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (l *Loss) UnmarshalText(name []byte) error { return enum.Unmarshal(l, ParseLoss, name) }
