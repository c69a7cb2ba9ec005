package main

import (
	"encoding"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onnxmem/report/memory"
)

// This file makes flags of options that read and print their values themselves.

// An option is the address of a typed option of the library.
type option interface {
	fmt.Stringer
	encoding.TextUnmarshaler
	// Values lists what the option takes, the default first.
	Values() []string
}

// optionFlag registers a flag of an option, which has its default. The values
// follow the usage.
func optionFlag(flags *pflag.FlagSet, o option, name, usage string) {
	flags.Var(optionValue{o}, name, usage+": "+strings.Join(o.Values(), ", "))
}

// An optionValue implements [pflag.Value].
type optionValue struct{ option }

// Set implements [pflag.Value].
func (v optionValue) Set(text string) error { return v.UnmarshalText([]byte(text)) }

// Type implements [pflag.Value].
func (optionValue) Type() string { return "string" }

// flagError says which flag has a value that does not exist, and which do.
func flagError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var wrong *memory.OptionError
	if errors.As(err, &invalid) && errors.As(err, &wrong) {
		return usagef("--%s %q: must be one of %s", invalid.GetFlag().Name, invalid.GetValue(), strings.Join(wrong.Known, ", "))
	}
	return err
}
