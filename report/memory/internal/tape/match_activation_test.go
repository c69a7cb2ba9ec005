package tape_test

import (
	"testing"

	"onnxmem/report/memory/internal/tape"
)

// TestMatchGELU: x/2 (1 + erf(x / sqrt 2)), and the approximation by tanh as
// exporters expand it.
func TestMatchGELU(t *testing.T) {
	const (
		erf  = "a = Div y root2 \n b = Erf a \n"
		tanh = "a = Mul y y \n b = Mul y a \n c = Mul k b \n d = Add y c \n e = Mul root2pi d \n f = Tanh e \n"
	)
	testMatches(t, tape.Options{}, []matchCase{
		{"erf", erf + "c = Add b one \n d = Mul y c \n z = Mul d half", "Gelu"},
		{"erf of a product", "a = Mul rroot2 y \n b = Erf a \n c = Add one b \n d = Mul half c \n z = Mul d y", "Gelu"},
		{"erf, another divisor", "a = Div y two \n b = Erf a \n c = Add b one \n d = Mul y c \n z = Mul d half", asWritten},
		{"erf, not halved", erf + "c = Add b one \n d = Mul y c \n z = Mul d two", asWritten},
		{"erf, not one more", erf + "c = Add b two \n d = Mul y c \n z = Mul d half", asWritten},
		{"erf, by another value", erf + "c = Add b one \n d = Mul other c \n z = Mul d half", asWritten},
		{"erf that others read", erf + "c = Add b one \n d = Mul y c \n z = Mul d half \n z2 = Relu b", asWritten},
		{"tanh", tanh + "g = Add one f \n h = Mul y g \n z = Mul half h", "Gelu"},
		{"tanh, another factor of the cube", "a = Mul y y \n b = Mul y a \n c = Mul half b \n d = Add y c \n e = Mul root2pi d \n f = Tanh e \n g = Add one f \n h = Mul y g \n z = Mul half h", asWritten},
		{"tanh, no cube", "a = Mul y other \n b = Mul y a \n c = Mul k b \n d = Add y c \n e = Mul root2pi d \n f = Tanh e \n g = Add one f \n h = Mul y g \n z = Mul half h", asWritten},
		{"tanh, another factor", "a = Mul y y \n b = Mul y a \n c = Mul k b \n d = Add y c \n e = Mul one d \n f = Tanh e \n g = Add one f \n h = Mul y g \n z = Mul half h", asWritten},
		{"tanh that others read", tanh + "g = Add one f \n h = Mul y g \n z = Mul half h \n z2 = Relu f", asWritten},
	})
}

// TestMatchGates: functions of x by a curve of x.
func TestMatchGates(t *testing.T) {
	testMatches(t, tape.Options{}, []matchCase{
		{"silu", "a = Sigmoid y \n z = Mul y a", "Silu"},
		{"silu by another value", "a = Sigmoid y \n z = Mul other a", asWritten},
		{"silu by a sum", "a = Sigmoid y \n z = Add y a", asWritten},
		{"silu whose curve others read", "a = Sigmoid y \n z = Mul y a \n z2 = Relu a", asWritten},
		{"mish", "a = Softplus y \n b = Tanh a \n z = Mul b y", "Mish"},
		{"mish by another value", "a = Softplus y \n b = Tanh a \n z = Mul b other", asWritten},
		{"mish of another curve", "a = Softplus y \n b = Sigmoid a \n z = Mul b y", asWritten},
		{"mish whose softplus others read", "a = Softplus y \n b = Tanh a \n z = Mul b y \n z2 = Relu a", asWritten},
	})
}

// TestMatchHardGates: x by clip(x + 3, 0, 6) / 6.
func TestMatchHardGates(t *testing.T) {
	testMatches(t, tape.Options{}, []matchCase{
		{"hard-swish by its sigmoid", "a = HardSigmoid y alpha=0.16666667 \n z = Mul y a", "Hardswish"},
		{"hard-swish of another slope", "a = HardSigmoid y alpha=0.2 \n z = Mul y a", asWritten},
		{"hard-swish of another offset", "a = HardSigmoid y alpha=0.16666667 beta=0.4 \n z = Mul y a", asWritten},
		{"hard-swish by another value", "a = HardSigmoid y alpha=0.16666667 \n z = Mul other a", asWritten},
		{"hard-swish by clipping", "a = Add three y \n b = Clip a zero six \n c = Mul y b \n z = Div c six", "Hardswish"},
		{"hard-swish by clipping, divided first", "a = Add y three \n b = Clip a zero six \n c = Mul b sixth \n z = Mul c y", "Hardswish"},
		{"hard-swish, clipped lower", "a = Add y three \n b = Clip a zero five \n c = Mul y b \n z = Div c six", asWritten},
		{"hard-swish, not from zero", "a = Add y three \n b = Clip a minus six \n c = Mul y b \n z = Div c six", asWritten},
		{"hard-swish, another offset", "a = Add y two \n b = Clip a zero six \n c = Mul y b \n z = Div c six", asWritten},
		{"hard-swish, another divisor", "a = Add y three \n b = Clip a zero six \n c = Mul y b \n z = Div c five", asWritten},
		{"hard-sigmoid", "a = Add y three \n b = Clip a zero six \n z = Div b six", "Hardsigmoid"},
		{"hard-sigmoid, another divisor", "a = Add y three \n b = Clip a zero six \n z = Div b five", asWritten},
		{"hard-sigmoid, the sum is read too", "a = Add y three \n b = Clip a zero six \n z = Div b six \n z2 = Relu a", asWritten},
	})
}

// TestMatchRsqrt: 1 / sqrt(x).
func TestMatchRsqrt(t *testing.T) {
	testMatches(t, tape.Options{}, []matchCase{
		{"rsqrt", "a = Sqrt y \n z = Reciprocal a", "Rsqrt"},
		{"rsqrt of another function", "a = Exp y \n z = Reciprocal a", asWritten},
		{"rsqrt whose root others read", "a = Sqrt y \n z = Reciprocal a \n z2 = Relu a", asWritten},
	})
}
