package training

import (
	"onnxmem/report/memory/internal/enum"
	"onnxmem/report/memory/internal/tape"
)

// An Attention says what runs attention in training.
type Attention uint8

// The ways to run attention.
const (
	AttentionAuto  Attention = iota // fused, where the graph does not show that the model writes it out
	AttentionFused                  // one kernel, which saves no scores
	AttentionEager                  // products and a softmax
)

func attentionNames() *enum.Names {
	return &enum.Names{Option: "attention", Values: []string{"auto", "fused", "eager"}}
}

// ParseAttention is the value of a name. The error is an [*OptionError].
func ParseAttention(name string) (Attention, error) {
	v, err := attentionNames().Parse(name)
	return Attention(v), err
}

// Values lists the names that [ParseAttention] takes, the default first.
func (Attention) Values() []string { return attentionNames().Values }

// String is the name that [ParseAttention] takes.
func (a Attention) String() string { return attentionNames().String(uint8(a)) }

// MarshalText implements [encoding.TextMarshaler].
func (a Attention) MarshalText() ([]byte, error) { return attentionNames().MarshalText(uint8(a)) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (a *Attention) UnmarshalText(name []byte) error { return enum.Unmarshal(a, ParseAttention, name) }

// onTape is the tape's option.
func (a Attention) onTape() tape.Attention {
	return [...]tape.Attention{AttentionAuto: tape.AttentionAuto, AttentionFused: tape.AttentionFused, AttentionEager: tape.AttentionEager}[a]
}
