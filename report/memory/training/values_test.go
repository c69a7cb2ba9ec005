package training_test

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"onnxmem/report/memory/training"
)

// A value is an option that reads and prints itself.
type value interface {
	fmt.Stringer
	encoding.TextMarshaler
	encoding.TextUnmarshaler
	Values() []string
}

// TestValuesReadAndPrintThemselves: the zero value of each option is the first
// that it lists, each listed name comes back as it was, and no other is taken.
func TestValuesReadAndPrintThemselves(t *testing.T) {
	for _, v := range []value{
		new(training.Optimizer), new(training.Precision), new(training.Attention), new(training.InPlace), new(training.Loss), new(training.Checkpoint), new(training.Dropout),
	} {
		name := reflect.TypeOf(v).Elem().Name()
		names := v.Values()
		if v.String() != names[0] {
			t.Errorf("%s: the zero value is %s, the first listed %s", name, v, names[0])
		}
		switch v.(type) {
		case *training.Checkpoint:
			names[2] = "every-7"
		case *training.Dropout:
			names[1] = "0.25"
		}
		for _, text := range names {
			if err := v.UnmarshalText([]byte(text)); err != nil || v.String() != text {
				t.Errorf("%s: %q reads as %s (%v)", name, text, v, err)
			}
			if out, err := v.MarshalText(); err != nil || string(out) != text {
				t.Errorf("%s: %q is written as %q (%v)", name, text, out, err)
			}
		}
		for _, text := range []string{"", "Auto", "every-0", "every-01", "every--1", "1", "-0.1", "NaN", "x"} {
			before := v.String()
			var wrong *training.OptionError
			if err := v.UnmarshalText([]byte(text)); !errors.As(err, &wrong) || wrong.Value != text || len(wrong.Known) != len(names) {
				t.Errorf("%s: %q: error %v", name, text, err)
			}
			if v.String() != before {
				t.Errorf("%s: %q changed the value to %s", name, text, v)
			}
		}
	}
}

// TestValuesThatDoNotExist prints a number, and writes nothing.
func TestValuesThatDoNotExist(t *testing.T) {
	if got := training.Optimizer(200).String(); got != "optimizer(200)" {
		t.Errorf("%s", got)
	}
	if text, err := training.Precision(200).MarshalText(); err == nil {
		t.Errorf("written as %s", text)
	}
	if text, err := training.DropoutRate(2).MarshalText(); err == nil {
		t.Errorf("written as %s", text)
	}
}

// TestDropoutRate: no dropout is a probability of 0, which auto is not.
func TestDropoutRate(t *testing.T) {
	if _, ok := (training.Dropout{}).Rate(); ok {
		t.Error("auto has a rate")
	}
	if p, ok := training.DropoutRate(0).Rate(); !ok || p != 0 || training.DropoutRate(0).Masks() || (training.Dropout{}) == training.DropoutRate(0) {
		t.Errorf("no dropout: %g, %v", p, ok)
	}
	if p, ok := training.DropoutRate(.1).Rate(); !ok || p != .1 || !training.DropoutRate(.1).Masks() {
		t.Errorf("a tenth: %g, %v", p, ok)
	}
}
