package training

import (
	"onnxmem/report/memory/internal/enum"
	"onnxmem/report/memory/internal/tape"
)

// An InPlace says which activations write over their input in training.
type InPlace uint8

// Which activations write over their input.
const (
	InPlaceAuto InPlace = iota // those that do so in the models of frameworks
	InPlaceOn                  // all that can
	InPlaceOff                 // none
)

func inPlaceNames() *enum.Names {
	return &enum.Names{Option: "inplace", Values: []string{"auto", "on", "off"}}
}

// ParseInPlace is the value of a name. The error is an [*OptionError].
func ParseInPlace(name string) (InPlace, error) {
	v, err := inPlaceNames().Parse(name)
	return InPlace(v), err
}

// Values lists the names that [ParseInPlace] takes, the default first.
func (InPlace) Values() []string { return inPlaceNames().Values }

// String is the name that [ParseInPlace] takes.
func (i InPlace) String() string { return inPlaceNames().String(uint8(i)) }

// MarshalText implements [encoding.TextMarshaler].
func (i InPlace) MarshalText() ([]byte, error) { return inPlaceNames().MarshalText(uint8(i)) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (i *InPlace) UnmarshalText(name []byte) error { return enum.Unmarshal(i, ParseInPlace, name) }

// onTape is the tape's option.
func (i InPlace) onTape() tape.InPlace {
	return [...]tape.InPlace{InPlaceAuto: tape.InPlaceAuto, InPlaceOn: tape.InPlaceOn, InPlaceOff: tape.InPlaceOff}[i]
}
