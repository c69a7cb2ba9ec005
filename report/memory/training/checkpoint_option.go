package training

import (
	"strconv"
	"strings"

	"onnxmem/report/memory"
	"onnxmem/report/memory/internal/enum"
)

// A Checkpoint says which activations are recomputed in the backward pass. The
// zero value recomputes none. Values can be compared with ==.
type Checkpoint struct {
	sqrt  bool
	every int // blocks per segment; 0 for none
}

// CheckpointSqrt recomputes segments of as many blocks as there are segments.
// Blocks lie between the points of the graph that one activation crosses.
func CheckpointSqrt() Checkpoint { return Checkpoint{sqrt: true} }

// CheckpointEvery recomputes segments of n blocks; none for an n below 1.
func CheckpointEvery(n int) Checkpoint { return Checkpoint{every: max(n, 0)} }

// None reports whether nothing is recomputed.
func (c Checkpoint) None() bool { return c == Checkpoint{} }

// Values lists the forms that [ParseCheckpoint] takes, the default first.
func (Checkpoint) Values() []string { return []string{"none", "sqrt", "every-N"} }

// ParseCheckpoint reads none, sqrt, or every-N with an N of at least 1. The
// error is an [*OptionError].
func ParseCheckpoint(text string) (Checkpoint, error) {
	switch text {
	case "none":
		return Checkpoint{}, nil
	case "sqrt":
		return CheckpointSqrt(), nil
	}
	if digits, ok := strings.CutPrefix(text, "every-"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n > 0 && strconv.Itoa(n) == digits {
			return CheckpointEvery(n), nil
		}
	}
	return Checkpoint{}, &memory.OptionError{Option: "checkpoint", Value: text, Known: Checkpoint{}.Values()}
}

// String is the text that [ParseCheckpoint] takes.
func (c Checkpoint) String() string {
	switch {
	case c.sqrt:
		return "sqrt"
	case c.every > 0:
		return "every-" + strconv.Itoa(c.every)
	}
	return "none"
}

// MarshalText implements [encoding.TextMarshaler].
func (c Checkpoint) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *Checkpoint) UnmarshalText(text []byte) error {
	return enum.Unmarshal(c, ParseCheckpoint, text)
}
