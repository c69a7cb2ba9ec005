package ort

import (
	"fmt"
	"strings"
	"sync"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
)

// A functionBody is a standard function for which the CPU provider lacks a
// kernel, always or for float16. The bodies are those of the operators'
// definitions (https://onnx.ai/onnx/operators/), in which names stand for
// themselves: out = Op(in, in; attribute=value). What hangs on the call, such as
// an attribute, text fills in.
type functionBody struct {
	name, domain string
	since        int  // first version that has the body
	float16      bool // inlined only where the first input is float16
	inputs       string
	outputs      string
	text         func(c *bodyCall) string
}

// A bodyCall is a node that may be inlined.
type bodyCall struct {
	node  *onnxgraph.Node
	index int32
	types *shapeinfer.Scope
	opset int64 // version of the default domain that the model imports
}

func (c *bodyCall) since() int { return c.types.Nodes[c.index].Since }

func (c *bodyCall) dtype(slot int) onnxgraph.DType {
	ids := c.types.Graph.NodeInputs(c.index)
	if slot >= len(ids) || ids[slot] == onnxgraph.NoValue {
		return onnxgraph.Undefined
	}
	return c.types.Facts[ids[slot]].Type.DType
}

func (c *bodyCall) integer(name string, def int64) int64 {
	if a := c.node.Attribute(name); a != nil {
		return a.Int
	}
	return def
}

func (c *bodyCall) float(name string, def float32) float32 {
	if a := c.node.Attribute(name); a != nil {
		return a.Float
	}
	return def
}

func (b *functionBody) applies(c *bodyCall) bool {
	return c.since() >= b.since && (!b.float16 || c.dtype(0) == onnxgraph.Float16)
}

func constantText(text string) func(*bodyCall) string {
	return func(*bodyCall) string { return text }
}

// functionBodies lists the functions. Softmax and others have kernels for
// float, and are taken apart only for float16.
func functionBodies() []functionBody {
	return []functionBody{
		{name: "HardSwish", since: 14, inputs: "X", outputs: "Y", text: constantText(`
			HS_X = HardSigmoid(X; alpha=0.16666667, beta=0.5)
			Y = Mul(X, HS_X)`)},
		{name: "Mish", since: 18, inputs: "X", outputs: "Y", text: constantText(`
			Softplus_X = Softplus(X)
			TanHSoftplusX = Tanh(Softplus_X)
			Y = Mul(X, TanHSoftplusX)`)},
		{name: "Swish", since: 24, inputs: "X", outputs: "Y", text: func(c *bodyCall) string {
			return fmt.Sprintf(`
			Alpha = float(%v)
			AlphaCast = CastLike(Alpha, X)
			AlphaMulX = Mul(AlphaCast, X)
			SigmoidAlphaMulX = Sigmoid(AlphaMulX)
			Y = Mul(X, SigmoidAlphaMulX)`, c.float("alpha", 1))
		}},
		{name: "CastLike", since: 15, inputs: "input like", outputs: "output", text: func(c *bodyCall) string {
			return fmt.Sprintf("output = Cast(input; to=%d)", c.dtype(1))
		}},
		{name: "GroupNormalization", since: 18, inputs: "X scale bias", outputs: "Y", text: groupNormalization},
		{name: "Softmax", since: 13, float16: true, inputs: "input", outputs: "output", text: softmaxText("output = Div(X_Exp, X_ReduceSum)")},
		{name: "LogSoftmax", since: 13, float16: true, inputs: "input", outputs: "output",
			text: softmaxText("X_Log = Log(X_ReduceSum)\noutput = Sub(X_Sub, X_Log)")},
		{name: "Gelu", since: 20, float16: true, inputs: "X", outputs: "Y", text: gelu},
		{name: "LeakyRelu", since: 16, float16: true, inputs: "X", outputs: "Y", text: func(c *bodyCall) string {
			return fmt.Sprintf(`
			Alpha = float(%v)
			AlphaCast = CastLike(Alpha, X)
			Zero = float(0)
			ZeroCast = CastLike(Zero, X)
			XLessThanZero = Less(X, ZeroCast)
			AlphaMulX = Mul(AlphaCast, X)
			Y = Where(XLessThanZero, AlphaMulX, X)`, c.float("alpha", 0.01))
		}},
		{name: "PRelu", since: 16, float16: true, inputs: "X slope", outputs: "Y", text: constantText(`
			Zero = float(0)
			ZeroCast = CastLike(Zero, X)
			XLessThanZero = Less(X, ZeroCast)
			SlopeMulX = Mul(slope, X)
			Y = Where(XLessThanZero, SlopeMulX, X)`)},
		{name: "GreaterOrEqual", since: 12, float16: true, inputs: "A B", outputs: "C", text: constantText(`
			O1 = Greater(A, B)
			O2 = Equal(A, B)
			C = Or(O1, O2)`)},
		{name: "LessOrEqual", since: 12, float16: true, inputs: "A B", outputs: "C", text: constantText(`
			O1 = Less(A, B)
			O2 = Equal(A, B)
			C = Or(O1, O2)`)},
		{name: "ReduceL1", since: 18, float16: true, inputs: "data axes", outputs: "reduced", text: reduceText(`
			data_abs = Abs(data)
			reduced = ReduceSum(data_abs, axes; KEEP)`)},
		{name: "ReduceL2", since: 18, float16: true, inputs: "data axes", outputs: "reduced", text: reduceText(`
			data_square = Mul(data, data)
			sum_square = ReduceSum(data_square, axes; KEEP)
			sum_square_dbl = Cast(sum_square; to=1)
			sqrt = Sqrt(sum_square_dbl)
			reduced = CastLike(sqrt, data)`)},
		{name: "ReduceSumSquare", since: 18, float16: true, inputs: "data axes", outputs: "reduced", text: reduceText(`
			data_square = Mul(data, data)
			reduced = ReduceSum(data_square, axes; KEEP)`)},
		{name: "ReduceLogSum", since: 18, float16: true, inputs: "data axes", outputs: "reduced", text: reduceText(`
			reduced_sum = ReduceSum(data, axes; KEEP)
			reduced = Log(reduced_sum)`)},
		{name: "ReduceLogSumExp", since: 18, float16: true, inputs: "data axes", outputs: "reduced", text: reduceText(`
			data_double = Cast(data; to=11)
			data_exp = Exp(data_double)
			reduced_sum = ReduceSum(data_exp, axes; KEEP)
			reduced_double = Log(reduced_sum)
			reduced = CastLike(reduced_double, data)`)},
		{name: "Gelu", domain: "com.microsoft", float16: true, inputs: "X", outputs: "Y", text: constantText(`
			Half = float16()
			One = float16()
			C = float16()
			CX = Mul(C, X)
			ERFCX = Erf(CX)
			ERFCXPlus1 = Add(ERFCX, One)
			PhiX = Mul(ERFCXPlus1, Half)
			Y = Mul(X, PhiX)`)},
		{name: "QuickGelu", domain: "com.microsoft", float16: true, inputs: "X", outputs: "Y", text: constantText(`
			Alpha = float16()
			CX = Mul(Alpha, X)
			SIGMOIDCX = Sigmoid(CX)
			Y = Mul(X, SIGMOIDCX)`)},
		{name: "FastGelu", domain: "com.microsoft", float16: true, inputs: "X bias", outputs: "Y", text: fastGelu},
	}
}

func reduceText(text string) func(*bodyCall) string {
	return func(c *bodyCall) string {
		keep := fmt.Sprintf("keepdims=%d, noop_with_empty_axes=%d", c.integer("keepdims", 1), c.integer("noop_with_empty_axes", 0))
		text := strings.ReplaceAll(text, "KEEP", keep)
		if len(c.node.Inputs) < 2 {
			text = strings.ReplaceAll(text, ", axes;", ";")
		}
		return text
	}
}

func softmaxText(end string) func(*bodyCall) string {
	return func(c *bodyCall) string {
		axis := c.integer("axis", -1)
		maximum := fmt.Sprintf("X_ReduceMax = ReduceMax(input; axes=[%d], keepdims=1)", axis)
		if c.opset >= 18 { // the axes became an input
			maximum = "X_ReduceMax = ReduceMax(input, axes; keepdims=1)"
		}
		return fmt.Sprintf(`
			axes = ints(%d)
			%s
			X_Sub = Sub(input, X_ReduceMax)
			X_Exp = Exp(X_Sub)
			X_ReduceSum = ReduceSum(X_Exp, axes; keepdims=1)
			%s`, axis, maximum, end)
	}
}

func gelu(c *bodyCall) string {
	if a := c.node.Attribute("approximate"); a != nil && a.String == "tanh" {
		return `
			Half = float(0.5)
			HalfCast = CastLike(Half, X)
			One = float(1)
			OneCast = CastLike(One, X)
			TwoOverPi = float(0.63661975)
			TwoOverPiCast = CastLike(TwoOverPi, X)
			C0 = float(0.044715)
			C0Cast = CastLike(C0, X)
			SqrtTwoOverPi = Sqrt(TwoOverPiCast)
			Three = float(3)
			ThreeCast = CastLike(Three, X)
			XCubed = Pow(X, ThreeCast)
			XCubedC0 = Mul(C0Cast, XCubed)
			XC0XCubed = Sum(X, XCubedC0)
			TanhInput = Mul(SqrtTwoOverPi, XC0XCubed)
			ErfApprox = Tanh(TanhInput)
			PhiApprox = Sum(OneCast, ErfApprox)
			MultX = Mul(HalfCast, X)
			Y = Mul(MultX, PhiApprox)`
	}
	return `
			Half = float(0.5)
			HalfCast = CastLike(Half, X)
			One = float(1)
			OneCast = CastLike(One, X)
			Two = float(2)
			TwoCast = CastLike(Two, X)
			SqrtTwo = Sqrt(TwoCast)
			XSqrt = Div(X, SqrtTwo)
			ErfXSqrt = Erf(XSqrt)
			Phi = Sum(OneCast, ErfXSqrt)
			MultX = Mul(HalfCast, X)
			Y = Mul(MultX, Phi)`
}

func fastGelu(c *bodyCall) string {
	biased := "X_bias = Add(X, bias)"
	if len(c.node.Inputs) < 2 || c.node.Inputs[1] == "" {
		biased = "X_bias = Identity(X)"
	}
	return `
			a = float16()
			b = float16()
			c = float16()
			one = float16()
			` + biased + `
			T1 = Mul(X_bias, X_bias)
			T2 = Mul(c, T1)
			T3 = Add(b, T2)
			T4 = Mul(X_bias, T3)
			T5 = Tanh(T4)
			T6 = Add(one, T5)
			T7 = Mul(X_bias, T6)
			Y = Mul(a, T7)`
}

// groupNormalization is the body since version 21, in which the computation has
// a type of its own; version 18 computes in that of X and repeats the scale over
// the groups.
func groupNormalization(c *bodyCall) string {
	groups, typ := c.integer("num_groups", 1), c.dtype(0)
	if c.since() < 21 {
		return normalizedGroups("", "X", groups, typ) + scaledGroups("NormalizedU", fmt.Sprintf("1, %d, 1", groups), typ)
	}
	stash := onnxgraph.DType(c.integer("stash_type", 1))
	return normalizedGroups(fmt.Sprintf("XU = Cast(X; to=%d)", stash), "XU", groups, stash) + fmt.Sprintf(`
			NormalizedOriginalShape = Reshape(NormalizedU, XShape)
			NormalizedNC = Reshape(NormalizedOriginalShape, Shape3D)
			NormalizedT = Cast(NormalizedNC; to=%d)`, typ) + scaledGroups("NormalizedT", "1, -1, 1", typ)
}

// normalizedGroups computes NormalizedU from x, which prepare makes, in the type
// typ. The order of the nodes decides when they run.
func normalizedGroups(prepare, x string, groups int64, typ onnxgraph.DType) string {
	return fmt.Sprintf(`
			FloatEpsilon = floats(1)
			Epsilon = Cast(FloatEpsilon; to=%d)
			%s
			XShape = Shape(%s)
			C = Shape(X; start=1, end=2)
			NumGroups = ints(%d)
			GroupSize = Div(C, NumGroups)
			N = Shape(X; start=0, end=1)
			InstanceShape = Shape(X; start=2)
			NewShape = Concat(N, NumGroups, GroupSize, InstanceShape; axis=0)
			XReshaped = Reshape(%s, NewShape)
			Shape3D = ints(0, 0, -1)
			X3D = Reshape(XReshaped, Shape3D)
			Axes2 = ints(2)
			Mean = ReduceMean(X3D, Axes2)
			Square = Mul(X3D, X3D)
			MeanOfSquare = ReduceMean(Square, Axes2)
			SquareOfMean = Mul(Mean, Mean)
			Var = Sub(MeanOfSquare, SquareOfMean)
			VarPlusEpsilon = Add(Var, Epsilon)
			StdDev = Sqrt(VarPlusEpsilon)
			Deviation = Sub(X3D, Mean)
			NormalizedU = Div(Deviation, StdDev)`, typ, prepare, x, groups, x)
}

// scaledGroups computes Y from what is normalised, with scale and bias in the
// dims of shape.
func scaledGroups(normalized, shape string, typ onnxgraph.DType) string {
	return fmt.Sprintf(`
			ScaleShape = ints(%s)
			ScaleT = Cast(scale; to=%d)
			BiasT = Cast(bias; to=%d)
			ScaleReshaped = Reshape(ScaleT, ScaleShape)
			BiasReshaped = Reshape(BiasT, ScaleShape)
			Scaled = Mul(ScaleReshaped, %s)
			Biased = Add(Scaled, BiasReshaped)
			Y = Reshape(Biased, XShape)`, shape, typ, typ, normalized)
}

var bodies = sync.OnceValue(func() map[string]*functionBody {
	m := map[string]*functionBody{}
	list := functionBodies()
	for i := range list {
		m[list[i].domain+"::"+list[i].name] = &list[i]
	}
	return m
})

// findBody finds the function of a node's operator.
func findBody(n *onnxgraph.Node) (*functionBody, bool) {
	if d := onnxgraph.CanonicalDomain(n.Domain); d == "" || d == "com.microsoft" {
		b, ok := bodies()[d+"::"+n.OpType]
		return b, ok
	}
	return nil, false
}
