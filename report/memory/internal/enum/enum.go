// Package enum reads and prints the values of options that have a name for each
// value.
package enum

import (
	"fmt"
	"slices"

	"onnxmem/report/memory"
)

// Names are the names of the values of an option, value by value: that of the
// zero value, which is the default, comes first.
type Names struct {
	Option string // its name in errors
	Values []string
}

// String is the name of a value; one that does not exist prints as a number.
func (n *Names) String(value uint8) string {
	if int(value) < len(n.Values) {
		return n.Values[value]
	}
	return fmt.Sprintf("%s(%d)", n.Option, value)
}

// Parse is the value of a name. The error is a [*memory.OptionError].
func (n *Names) Parse(name string) (uint8, error) {
	i := slices.Index(n.Values, name)
	if i < 0 {
		return 0, n.error(name)
	}
	return uint8(i), nil
}

// Check refuses a value that does not exist, with a [*memory.OptionError].
func (n *Names) Check(value uint8) error {
	if int(value) < len(n.Values) {
		return nil
	}
	return n.error(n.String(value))
}

// MarshalText is the name of a value, for [encoding.TextMarshaler].
func (n *Names) MarshalText(value uint8) ([]byte, error) {
	if err := n.Check(value); err != nil {
		return nil, err
	}
	return []byte(n.Values[value]), nil
}

func (n *Names) error(value string) error {
	return &memory.OptionError{Option: n.Option, Value: value, Known: slices.Clone(n.Values)}
}

// Unmarshal sets a value by its name, for [encoding.TextUnmarshaler].
func Unmarshal[T any](value *T, parse func(string) (T, error), text []byte) error {
	v, err := parse(string(text))
	if err == nil {
		*value = v
	}
	return err
}
