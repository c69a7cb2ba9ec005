package tape_test

import (
	"testing"

	"onnxmem/report/memory/internal/tape"
)

// TestMatchLayerNorm: (x - mean) / sqrt(mean((x - mean)^2) + eps) gain + bias,
// over the last axes.
func TestMatchLayerNorm(t *testing.T) {
	const (
		deviation = "a = ReduceMean y axes=-1 \n b = Sub y a \n "
		quotient  = "d = ReduceMean c axes=-1 \n e = Add d eps \n f = Sqrt e \n q = Div b f \n "
		affine    = "r = Mul q gain \n z = Add r bias"
	)
	testMatches(t, tape.Options{}, []matchCase{
		{"a power", deviation + "c = Pow b two \n " + quotient + affine, "NativeLayerNorm"},
		{"a product", deviation + "c = Mul b b \n " + quotient + affine, "NativeLayerNorm"},
		{"over two axes", "a = ReduceMean y axes=1,2 \n b = Sub y a \n c = Mul b b \n d = ReduceMean c axes=1,2 \n e = Add d eps \n f = Sqrt e \n z = Div b f", "NativeLayerNorm"},
		{"without scale", deviation + "c = Pow b two \n d = ReduceMean c axes=-1 \n e = Add d eps \n f = Sqrt e \n z = Div b f", "NativeLayerNorm"},
		{"another power", deviation + "c = Pow b three \n " + quotient + affine, asWritten},
		{"another first axis", "a = ReduceMean y axes=0 \n b = Sub y a \n c = Pow b two \n " + quotient + affine, asWritten},
		{"another second axis", deviation + "c = Pow b two \n d = ReduceMean c axes=1 \n e = Add d eps \n f = Sqrt e \n q = Div b f \n " + affine, asWritten},
		{"the mean minus x", "a = ReduceMean y axes=-1 \n b = Sub a y \n c = Pow b two \n " + quotient + affine, asWritten},
		{"no root", deviation + "c = Pow b two \n d = ReduceMean c axes=-1 \n e = Add d eps \n f = Exp e \n q = Div b f \n " + affine, asWritten},
		{"the quotient turned over", deviation + "c = Pow b two \n d = ReduceMean c axes=-1 \n e = Add d eps \n f = Sqrt e \n q = Div f b \n " + affine, asWritten},
		{"deviations that others read", deviation + "c = Pow b two \n " + quotient + affine + "\n z2 = Relu b", asWritten},
		{"a mean that others read", deviation + "c = Pow b two \n " + quotient + affine + "\n z2 = Relu a", asWritten},
	})
}

// TestMatchGroupNorm: InstanceNormalization of groups of channels, as exporters
// write GroupNorm.
func TestMatchGroupNorm(t *testing.T) {
	const head = "n = ints 2 2 16 \n back = ints 2 4 8 \n s2 = weight 2 \n b2 = weight 2 \n g4 = weight 4 1 \n h4 = weight 4 1 \n flat = ints 2 32 1 \n s32 = weight 32 \n b32 = weight 32 \n"
	testMatches(t, tape.Options{}, []matchCase{
		{"with scale and shift", head + "a = Reshape y n \n b = InstanceNormalization a s2 b2 \n c = Reshape b back \n d = Mul c g4 \n z = Add d h4", "NativeGroupNorm"},
		{"alone", head + "a = Reshape y n \n b = InstanceNormalization a s2 b2 \n z = Reshape b back", "NativeGroupNorm"},
		{"not back to its dims", head + "a = Reshape y n \n b = InstanceNormalization a s2 b2 \n z = Reshape b flat", asWritten},
		{"no groups before", head + "s4 = weight 4 \n b4 = weight 4 \n b = InstanceNormalization y s4 b4 \n z = Reshape b flat", asWritten},
		{"no groups after", head + "a = Reshape y n \n b = InstanceNormalization a s2 b2 \n z = Relu b", asWritten},
		{"groups that others read", head + "a = Reshape y n \n b = InstanceNormalization a s2 b2 \n z = Reshape b back \n z2 = Relu a", asWritten},
	})
}

// TestMatchLinear: a product with a matrix and the sum with a bias.
func TestMatchLinear(t *testing.T) {
	const head = "v = weight 8 5 \n b5 = weight 5 \n b1 = weight 1 \n stack = weight 2 8 5 \n fed = input 5 \n "
	testMatches(t, tape.Options{}, []matchCase{
		{"linear", head + "a = MatMul y v \n z = Add a b5", "Addmm"},
		{"bias first", head + "a = MatMul y v \n z = Add b5 a", "Addmm"},
		{"a bias of one", head + "a = MatMul y v \n z = Add a b1", asWritten},
		{"a bias that is fed", head + "a = MatMul y v \n z = Add a fed", asWritten},
		{"a stack of matrices", head + "a = MatMul y stack \n z = Add a b5", asWritten},
		{"a product that others read", head + "a = MatMul y v \n z = Add a b5 \n z2 = Relu a", asWritten},
		{"a difference", head + "a = MatMul y v \n z = Sub a b5", asWritten},
	})
}

// TestMatchRMSNorm: x rsqrt(mean(x^2) + eps) runs in 32 bits where the rest is
// in 16.
func TestMatchRMSNorm(t *testing.T) {
	const (
		square = "a = Pow y two \n b = ReduceMean a axes=-1 \n "
		rest   = "c = Add b eps \n d = Sqrt c \n e = Reciprocal d \n f = Mul y e \n z = Mul f gain"
	)
	testMatches(t, tape.Options{Half: true}, []matchCase{
		{"rms norm", square + rest, "ToCopy Pow Mean Rsqrt Mul ToCopy Mul"},
		// The reciprocal root is an operator of the framework by itself.
		{"another power", "a = Pow y three \n b = ReduceMean a axes=-1 \n " + rest, "Pow Mean Add Rsqrt Mul Mul"},
		{"another axis", "a = Pow y two \n b = ReduceMean a axes=0 \n " + rest, "Pow Mean Add Rsqrt Mul Mul"},
		{"by another value", square + "c = Add b eps \n d = Sqrt c \n e = Reciprocal d \n f = Mul other e \n z = Mul f gain", "Pow Mean Add Rsqrt Mul Mul"},
		{"a square that others read", square + rest + " \n z2 = Relu a", "Pow Mean Add Rsqrt Mul Mul Relu"},
		{"a factor that others read", square + rest + " \n z2 = Relu e", "Pow Mean Add Rsqrt Mul Mul Relu"},
		{"no root", square + "c = Add b eps \n e = Reciprocal c \n f = Mul y e \n z = Mul f gain", asWritten},
		{"no reciprocal", square + "c = Add b eps \n e = Sqrt c \n f = Mul y e \n z = Mul f gain", asWritten},
	})
	testMatches(t, tape.Options{}, []matchCase{
		{"all of it in 32 bits", square + rest, "Pow Mean Add Rsqrt Mul Mul"},
	})
}
