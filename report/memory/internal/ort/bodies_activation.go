package ort

import (
	"fmt"
	"strings"
)

// activationBodies are the activation functions. That of an operator older than
// its body exists from version 18 of the default domain on.
func activationBodies() []functionBody {
	return []functionBody{
		{name: "HardSwish", opsets: []int64{14, 22}, inputs: "X", outputs: "Y", text: constantText(`
			HS_X = HardSigmoid <alpha=0.16666667, beta=0.5> (X)
			Y = Mul (X, HS_X)`)},
		{name: "Mish", opsets: []int64{18, 22}, inputs: "X", outputs: "Y", text: constantText(`
			Softplus_X = Softplus (X)
			TanHSoftplusX = Tanh (Softplus_X)
			Y = Mul (X, TanHSoftplusX)`)},
		{name: "Swish", opsets: []int64{24}, inputs: "X", outputs: "Y", text: func(c *bodyCall) string {
			return scalarLike("Alpha", c.float("alpha", 1), "X") + `
			AlphaMulX = Mul (AlphaCast, X)
			SigmoidAlphaMulX = Sigmoid (AlphaMulX)
			Y = Mul (X, SigmoidAlphaMulX)`
		}},
		{name: "SwiGLU", opsets: []int64{28}, inputs: "A B", outputs: "Y", text: func(c *bodyCall) string {
			return fmt.Sprintf(`
			SwishGate = Swish <alpha=%f> (A)
			Y = Mul (SwishGate, B)`, c.float("alpha", 1))
		}},
		{name: "Relu", opsets: []int64{18}, inputs: "X", outputs: "Y", text: constantText(scalarLike("Zero", 0, "X") + `
			Y = Max (X, ZeroCast)`)},
		{name: "Elu", opsets: []int64{18}, inputs: "X", outputs: "Y", text: func(c *bodyCall) string {
			return scalarLike("Alpha", c.float("alpha", 1), "X") + scalarLike("Zero", 0, "X") + scalarLike("One", 1, "X") + `
			XLessThanZero = Less (X, ZeroCast)
			ExpX = Exp (X)
			ExpXSubOne = Sub (ExpX, OneCast)
			AlphaMulExpXSubOne = Mul (AlphaCast, ExpXSubOne)
			Y = Where (XLessThanZero, AlphaMulExpXSubOne, X)`
		}},
		{name: "Selu", opsets: []int64{18}, inputs: "X", outputs: "Y", text: func(c *bodyCall) string {
			return scalarLike("Alpha", c.float("alpha", 1.67326), "X") + scalarLike("Gamma", c.float("gamma", 1.0507), "X") + scalarLike("Zero", 0, "X") + `
			ExpX = Exp (X)
			AlphaMulExpX = Mul (AlphaCast, ExpX)
			AlphaMulExpXSubAlpha = Sub (AlphaMulExpX, AlphaCast)
			Neg = Mul (GammaCast, AlphaMulExpXSubAlpha)
			Pos = Mul (GammaCast, X)
			XLessThanZero = Less (X, ZeroCast)
			Y = Where (XLessThanZero, Neg, Pos)`
		}},
		{name: "HardSigmoid", opsets: []int64{18}, inputs: "X", outputs: "Y", text: func(c *bodyCall) string {
			return scalarLike("Alpha", c.float("alpha", 0.2), "X") + scalarLike("Beta", c.float("beta", 0.5), "X") +
				scalarLike("Zero", 0, "X") + scalarLike("One", 1, "X") + `
			AlphaMulX = Mul (X, AlphaCast)
			AlphaMulXAddBeta = Add (AlphaMulX, BetaCast)
			MinOneOrAlphaMulXAddBeta = Min (AlphaMulXAddBeta, OneCast)
			Y = Max (MinOneOrAlphaMulXAddBeta, ZeroCast)`
		}},
		{name: "ThresholdedRelu", opsets: []int64{18}, inputs: "X", outputs: "Y", text: func(c *bodyCall) string {
			return scalarLike("Alpha", c.float("alpha", 1), "X") + scalarLike("Zero", 0, "X") + `
			AlphaLessThanX = Less (AlphaCast, X)
			Y = Where (AlphaLessThanX, X, ZeroCast)`
		}},
		{name: "Softplus", opsets: []int64{18}, inputs: "X", outputs: "Y", text: constantText(`
			exp_x = Exp (X)` + scalarLike("One", 1, "X") + `
			exp_x_add_one = Add (exp_x, OneCast)
			Y = Log (exp_x_add_one)`)},
		{name: "Softsign", opsets: []int64{18}, inputs: "input", outputs: "output", text: constantText(scalarLike("One", 1, "input") + `
			AbsInput = Abs (input)
			OneAddAbsInput = Add (OneCast, AbsInput)
			output = Div (input, OneAddAbsInput)`)},
		{name: "LeakyRelu", opsets: []int64{16}, inputs: "X", outputs: "Y", text: func(c *bodyCall) string {
			return scalarLike("Alpha", c.float("alpha", 0.01), "X") + scalarLike("Zero", 0, "X") + `
			XLessThanZero = Less (X, ZeroCast)
			AlphaMulX = Mul (AlphaCast, X)
			Y = Where (XLessThanZero, AlphaMulX, X)`
		}},
		{name: "PRelu", opsets: []int64{16}, inputs: "X slope", outputs: "Y", text: constantText(scalarLike("Zero", 0, "X") + `
			XLessThanZero = Less (X, ZeroCast)
			SlopeMulX = Mul (slope, X)
			Y = Where (XLessThanZero, SlopeMulX, X)`)},
		{name: "Gelu", since: 20, inputs: "X", outputs: "Y", text: gelu},
		{name: "Gelu", domain: "com.microsoft", since: 1, inputs: "X", outputs: "Y", text: typedConstants(`
			Half = TYPED ()
			One = TYPED ()
			C = TYPED ()
			CX = Mul (C, X)
			ERFCX = Erf (CX)
			ERFCXPlus1 = Add (ERFCX, One)
			PhiX = Mul (ERFCXPlus1, Half)
			Y = Mul (X, PhiX)`)},
		{name: "QuickGelu", domain: "com.microsoft", since: 1, inputs: "X", outputs: "Y", text: typedConstants(`
			Alpha = TYPED ()
			CX = Mul (Alpha, X)
			SIGMOIDCX = Sigmoid (CX)
			Y = Mul (X, SIGMOIDCX)`)},
		{name: "FastGelu", domain: "com.microsoft", since: 1, inputs: "X bias", outputs: "Y", text: fastGelu},
	}
}

// scalarLike makes a constant, and NameCast: that in the type of a value.
func scalarLike(name string, value float32, like string) string {
	return fmt.Sprintf(`
			%s = float (%v)
			%sCast = CastLike (%s, %s)`, name, value, name, name, like)
}

// typedConstants is a text whose constants have the type of the first input.
func typedConstants(text string) func(*bodyCall) string {
	return func(c *bodyCall) string {
		return strings.ReplaceAll(text, "TYPED", strings.ToLower(c.dtype(0).String()))
	}
}

func gelu(c *bodyCall) string {
	if c.text("approximate", "none") == "tanh" {
		return scalarLike("Half", 0.5, "X") + scalarLike("One", 1, "X") + scalarLike("TwoOverPi", 0.63661975, "X") + scalarLike("C0", 0.044715, "X") + `
			SqrtTwoOverPi = Sqrt (TwoOverPiCast)` + scalarLike("Three", 3, "X") + `
			XCubed = Pow (X, ThreeCast)
			XCubedC0 = Mul (C0Cast, XCubed)
			XC0XCubed = Sum (X, XCubedC0)
			TanhInput = Mul (SqrtTwoOverPi, XC0XCubed)
			ErfApprox = Tanh (TanhInput)
			PhiApprox = Sum (OneCast, ErfApprox)
			MultX = Mul (HalfCast, X)
			Y = Mul (MultX, PhiApprox)`
	}
	return scalarLike("Half", 0.5, "X") + scalarLike("One", 1, "X") + scalarLike("Two", 2, "X") + `
			SqrtTwo = Sqrt (TwoCast)
			XSqrt = Div (X, SqrtTwo)
			ErfXSqrt = Erf (XSqrt)
			Phi = Sum (OneCast, ErfXSqrt)
			MultX = Mul (HalfCast, X)
			Y = Mul (MultX, Phi)`
}

func fastGelu(c *bodyCall) string {
	biased := "X_bias = Identity (X)"
	if c.hasInput(1) {
		biased = "X_bias = Add (X, bias)"
	}
	return typedConstants(`
			a = TYPED ()
			b = TYPED ()
			c = TYPED ()
			one = TYPED ()
			` + biased + `
			T1 = Mul (X_bias, X_bias)
			T2 = Mul (c, T1)
			T3 = Add (b, T2)
			T4 = Mul (X_bias, T3)
			T5 = Tanh (T4)
			T6 = Add (one, T5)
			T7 = Mul (X_bias, T6)
			Y = Mul (a, T7)`)(c)
}
