package training

import (
	"strconv"

	"onnxmem/report/memory"
	"onnxmem/report/memory/internal/enum"
)

// A Dropout says with which probability the dropouts run that an export for
// inference no longer shows. The zero value, auto, assumes those of language
// models with learned positions only, which as a rule train with them, and says
// so. Values can be compared with ==.
type Dropout struct {
	rate  float64
	given bool
}

// DropoutRate is a dropout of a probability of at least 0 and below 1; 0 is no
// dropout.
func DropoutRate(p float64) Dropout { return Dropout{rate: p, given: true} }

// Rate is the probability; ok is false for auto.
func (d Dropout) Rate() (p float64, ok bool) { return d.rate, d.given }

// Values lists the forms that [ParseDropout] takes, the default first.
func (Dropout) Values() []string {
	return []string{"auto", "a probability of at least 0 (none) and below 1"}
}

// ParseDropout reads auto, or a probability of at least 0 and below 1. The error
// is an [*OptionError].
func ParseDropout(text string) (Dropout, error) {
	if text == "auto" {
		return Dropout{}, nil
	}
	p, err := strconv.ParseFloat(text, 64)
	if d := DropoutRate(p); err == nil && d.check() == nil {
		return d, nil
	}
	return Dropout{}, dropoutError(text)
}

// check refuses what is no probability.
func (d Dropout) check() error {
	if d.given && !(d.rate >= 0 && d.rate < 1) { // NaN, too
		return dropoutError(d.String())
	}
	return nil
}

func dropoutError(value string) error {
	return &memory.OptionError{Option: "dropout", Value: value, Known: Dropout{}.Values()}
}

// String is the text that [ParseDropout] takes.
func (d Dropout) String() string {
	if !d.given {
		return "auto"
	}
	return strconv.FormatFloat(d.rate, 'g', -1, 64)
}

// MarshalText implements [encoding.TextMarshaler].
func (d Dropout) MarshalText() ([]byte, error) { return []byte(d.String()), d.check() }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Dropout) UnmarshalText(text []byte) error { return enum.Unmarshal(d, ParseDropout, text) }

// Masks reports whether masks are counted for sure: a probability above 0 is
// given.
func (d Dropout) Masks() bool { return d.given && d.rate > 0 }

// onTape is the tape's option: 0 for auto, -1 for none.
func (d Dropout) onTape() float64 {
	switch {
	case !d.given:
		return 0
	case d.rate == 0:
		return -1
	}
	return d.rate
}
