package training

import "onnxmem/report/memory/internal/enum"

// A Precision is the number formats of training.
type Precision uint8

// The precisions.
const (
	FP32       Precision = iota // everything in 32 bits
	AMPFP16                     // autocast: 32-bit weights, 16-bit products
	AMPBF16                     // the same with bfloat16
	BF16                        // weights, gradients, states and activations in bfloat16
	FP16                        // the same in 16-bit floats
	BF16Master                  // BF16 with a 32-bit copy of the weights and 32-bit states
)

func precisionNames() *enum.Names {
	return &enum.Names{Option: "precision", Values: []string{"fp32", "amp-fp16", "amp-bf16", "bf16", "fp16", "bf16-master"}}
}

// ParsePrecision is the value of a name. The error is an [*OptionError].
func ParsePrecision(name string) (Precision, error) {
	v, err := precisionNames().Parse(name)
	return Precision(v), err
}

// Values lists the names that [ParsePrecision] takes, the default first.
func (Precision) Values() []string { return precisionNames().Values }

// String is the name that [ParsePrecision] takes.
func (p Precision) String() string { return precisionNames().String(uint8(p)) }

// MarshalText implements [encoding.TextMarshaler].
func (p Precision) MarshalText() ([]byte, error) { return precisionNames().MarshalText(uint8(p)) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *Precision) UnmarshalText(name []byte) error { return enum.Unmarshal(p, ParsePrecision, name) }

// half reports whether weights, gradients and activations have 16 bits.
func (p Precision) half() bool { return p == FP16 || p == BF16 || p == BF16Master }

// autocast reports whether products run in 16 bits and weights stay in 32.
func (p Precision) autocast() bool { return p == AMPFP16 || p == AMPBF16 }

// stateBytes is the size of an element of the optimizer's states, and of what
// it computes with.
func (p Precision) stateBytes() int64 {
	if p == FP16 || p == BF16 {
		return 2
	}
	return 4
}
