package ort

import (
	"fmt"

	"onnxmem/onnxgraph"
)

// attentionBodies are attention and what goes with it.
func attentionBodies() []functionBody {
	return []functionBody{
		{name: "Attention", since: 23, inputs: "Q K V attn_mask past_key past_value nonpad_kv_seqlen",
			outputs: "Y present_key present_value qk_matmul_output", text: attention},
		{name: "LinearAttention", since: 27, inputs: "query key value past_state decay beta",
			outputs: "output present_state", text: linearAttention},
		{name: "CausalConvWithState", since: 27, inputs: "input weight bias past_state",
			outputs: "output present_state", text: causalConvolution},
	}
}

// attention is the body of versions 23 to 25. Version 24 adds a mask that is
// shorter than the keys and caches with unused room, version 25 windows.
func attention(c *bodyCall) string {
	split := c.integer("q_num_heads", 0) > 0 && c.integer("kv_num_heads", 0) > 0
	return lines(`
			BatchSize = Shape <start=0, end=1> (Q)
			QSeqLen = Shape <start=-2, end=-1> (Q)
			KVSeqLen = Shape <start=-2, end=-1> (K)`,
		attentionHeads(c, split),
		attentionScale(c),
		attentionCache(c),
		causalMask(c),
		windowMask(c),
		paddingMask(c),
		repeatedHeads,
		attentionWeights(c),
		"YPreReshape = MatMul (SoftmaxOutSafe, VAttentionInput)",
		when(split, `
			YTranspose = Transpose <perm=[0, 2, 1, 3]> (YPreReshape)
			YNewShape = Concat <axis=0> (Zero1D, Zero1D, NegOne)
			Y = Reshape (YTranspose, YNewShape)`),
		when(!split, "Y = Identity (YPreReshape)"))
}

// attentionHeads brings the inputs to four dims, the heads second.
func attentionHeads(c *bodyCall, split bool) string {
	heads := `
			QReshaped = Identity (Q)
			KReshaped = Identity (K)
			VReshaped = Identity (V)`
	if split {
		heads = fmt.Sprintf(`
			QNumHeadsAttr = ints (%d)
			KVNumHeadsAttr = ints (%d)
			NegOne = ints (-1)
			QIntermediateShape = Concat <axis=0> (BatchSize, QSeqLen, QNumHeadsAttr, NegOne)
			KVIntermediateShape = Concat <axis=0> (BatchSize, KVSeqLen, KVNumHeadsAttr, NegOne)
			QIntermediate = Reshape (Q, QIntermediateShape)
			KIntermediate = Reshape (K, KVIntermediateShape)
			VIntermediate = Reshape (V, KVIntermediateShape)
			QReshaped = Transpose <perm=[0, 2, 1, 3]> (QIntermediate)
			KReshaped = Transpose <perm=[0, 2, 1, 3]> (KIntermediate)
			VReshaped = Transpose <perm=[0, 2, 1, 3]> (VIntermediate)`, c.integer("q_num_heads", 0), c.integer("kv_num_heads", 0))
	}
	return heads + `
			QNumHeads = Shape <start=1, end=2> (QReshaped)
			KVNumHeads = Shape <start=1, end=2> (KReshaped)`
}

func attentionScale(c *bodyCall) string {
	from := "CalculatedScale"
	if c.has("scale") {
		from = "ScaleF"
	}
	return fmt.Sprintf(`
			QKHeadSize = Shape <start=3, end=4> (QReshaped)
			QKHeadSizeF = Cast <to=1> (QKHeadSize)
			VHeadSize = Shape <start=3, end=4> (VReshaped)
			SqrtHeadSize = Sqrt (QKHeadSizeF)
			One1D = ints (1)
			NegOne1D = ints (-1)
			One1DF = floats (1)
			Zero1D = ints (0)
			CalculatedScale = Div (One1DF, SqrtHeadSize)
			ScaleF = float (%v)
			ScaleFactor = Identity (%s)
			ScaleFactorSqrt = Sqrt (ScaleFactor)
			ScaleFactorF = Cast <to=%d> (ScaleFactorSqrt)`, c.float("scale", 1), from, c.dtype(0))
}

// attentionCache joins the keys and values to those of earlier steps.
func attentionCache(c *bodyCall) string {
	key, value, past := "Identity (KReshaped)", "Identity (VReshaped)", "ints (0)"
	if c.hasInput(4) {
		key, past = "Concat <axis=2> (past_key, KReshaped)", "Shape <start=-2, end=-1> (past_key)"
	}
	if c.hasInput(5) {
		value = "Concat <axis=2> (past_value, VReshaped)"
	}
	return lines(
		"PresentKey = "+key, "PastKVSeqLen = "+past,
		when(externalCache(c) && c.integer("is_causal", 0) == 1, "CausalOffsetPerBatch = Sub (nonpad_kv_seqlen, QSeqLen)"),
		when(c.hasOutput(1), "present_key = Identity (PresentKey)"),
		"PresentValue = "+value,
		when(c.hasOutput(2), "present_value = Identity (PresentValue)"))
}

// externalCache reports whether the keys of earlier steps lie before the new
// ones in the inputs themselves.
func externalCache(c *bodyCall) bool { return c.hasInput(6) && !c.hasInput(4) }

// causalMask computes AttnBiasCausalOrNot, which is added to the scores.
func causalMask(c *bodyCall) string {
	return lines(`
			NewKVSeqLen = Shape <start=-2, end=-1> (PresentKey)
			AttnBiasShape = Concat <axis=0> (QSeqLen, NewKVSeqLen)
			FloatNegInf = floats (-1)
			ScalarZero = floats (0)`,
		givenMask(c),
		when(c.integer("is_causal", 0) != 1, "AttnBiasCausalOrNot = Identity (AttnBias)"),
		when(c.integer("is_causal", 0) == 1, triangle(c)))
}

func givenMask(c *bodyCall) string {
	if !c.hasInput(3) {
		return "AttnBias = ConstantOfShape (AttnBiasShape)"
	}
	short := "AttnBiasShort = Identity (attn_mask)"
	if c.dtype(3) == onnxgraph.Bool {
		short = "AttnBiasShort = Where (attn_mask, ScalarZero, FloatNegInf)"
	}
	if c.since() < 24 {
		return short + "\nAttnBias = Identity (AttnBiasShort)"
	}
	return short + `
			MaskKVSeqLen = Shape <start=-1> (attn_mask)
			PaddingKVSeqLen = Sub (NewKVSeqLen, MaskKVSeqLen)
			Pads = Concat <axis=0> (Zero1D, PaddingKVSeqLen)
			FloatNegInfCast = CastLike (FloatNegInf, AttnBiasShort)
			AttnBias = Pad (AttnBiasShort, Pads, FloatNegInfCast, NegOne1D)`
}

// triangle masks the keys after each query.
func triangle(c *bodyCall) string {
	below := `
			RangeRow2DPast = Add (RangeRow2D, PastKVSeqLen)
			BoolMaskTri = Less (RangeRow2DPast, RangeCol2D)`
	if externalCache(c) {
		below = `
			Axes01 = ints (0, 1)
			Axes123 = ints (1, 2, 3)
			RangeRow4D = Unsqueeze (RangeRow2D, Axes01)
			RangeCol4D = Unsqueeze (RangeCol2D, Axes01)
			OffsetB4D = Unsqueeze (CausalOffsetPerBatch, Axes123)
			RowPlusOff = Add (RangeRow4D, OffsetB4D)
			BoolMaskTri = Less (RowPlusOff, RangeCol4D)`
	}
	return `
			Zero = ints (0)
			One = ints (1)
			ZeroNoDim = Squeeze (Zero, Zero)
			OneNoDim = Squeeze (One, Zero)
			SequenceLength = Gather (AttnBiasShape, ZeroNoDim)
			TotalSequenceLength = Gather (AttnBiasShape, OneNoDim)
			RangeRow = Range (ZeroNoDim, SequenceLength, OneNoDim)
			RangeRow2D = Unsqueeze (RangeRow, One)
			RangeCol = Range (ZeroNoDim, TotalSequenceLength, OneNoDim)
			RangeCol2D = Unsqueeze (RangeCol, Zero)` + below + `
			MaskTriFloat = Where (BoolMaskTri, FloatNegInf, ScalarZero)
			MaskTri = CastLike (MaskTriFloat, AttnBias)
			AttnBiasCausalOrNot = Add (AttnBias, MaskTri)`
}

// windowMask computes AttnBiasCausalWindow, which masks keys that are too far
// from their query.
func windowMask(c *bodyCall) string {
	left, right := c.integer("left_window_size", -1), c.integer("right_window_size", -1)
	switch {
	case c.since() < 25:
		return ""
	case left < 0 && right < 0:
		return "AttnBiasCausalWindow = Identity (AttnBiasCausalOrNot)"
	}
	size := func(side string, n int64) string {
		return when(n >= 0, fmt.Sprintf(`
			%[1]sWindowSize = ints (%[2]d)
			%[1]sWindowSizeNoDim = Squeeze (%[1]sWindowSize, WinZero)`, side, n))
	}
	near := "WinOk"
	if left >= 0 && right >= 0 {
		near = "WinLeftOk"
	}
	return lines(`
			WinZero = ints (0)
			WinOne = ints (1)
			WinZeroNoDim = Squeeze (WinZero, WinZero)
			WinOneNoDim = Squeeze (WinOne, WinZero)
			WinSeqLen = Squeeze (QSeqLen, WinZero)
			WinTotalSeqLen = Squeeze (NewKVSeqLen, WinZero)
			WinRangeRow = Range (WinZeroNoDim, WinSeqLen, WinOneNoDim)
			WinRangeCol = Range (WinZeroNoDim, WinTotalSeqLen, WinOneNoDim)`,
		size("Left", left), size("Right", right), windowDistance(c),
		when(left >= 0, near+" = LessOrEqual (WinDiff, LeftWindowSizeNoDim)"),
		when(right >= 0, "WinRightDiff = Neg (WinDiff)"),
		when(left >= 0 && right >= 0, `
			WinRightOk = LessOrEqual (WinRightDiff, RightWindowSizeNoDim)
			WinOk = And (WinLeftOk, WinRightOk)`),
		when(left < 0, "WinOk = LessOrEqual (WinRightDiff, RightWindowSizeNoDim)"), `
			WinMaskFloat = Where (WinOk, ScalarZero, FloatNegInf)
			WinMask = CastLike (WinMaskFloat, AttnBiasCausalOrNot)
			AttnBiasCausalWindow = Add (AttnBiasCausalOrNot, WinMask)`)
}

// windowDistance computes how far each key is from each query.
func windowDistance(c *bodyCall) string {
	if externalCache(c) {
		return `
			WinOffset = Sub (nonpad_kv_seqlen, QSeqLen)
			WinAxes123 = ints (1, 2, 3)
			WinAxes01 = ints (0, 1)
			WinOffset4D = Unsqueeze (WinOffset, WinAxes123)
			WinRow2D = Unsqueeze (WinRangeRow, WinOne)
			WinRow4D = Unsqueeze (WinRow2D, WinAxes01)
			WinCol2D = Unsqueeze (WinRangeCol, WinZero)
			WinCol4D = Unsqueeze (WinCol2D, WinAxes01)
			WinAbsPos = Add (WinRow4D, WinOffset4D)
			WinDiff = Sub (WinAbsPos, WinCol4D)`
	}
	return `
			WinRow2D = Unsqueeze (WinRangeRow, WinOne)
			WinCol2D = Unsqueeze (WinRangeCol, WinZero)
			WinAbsPos = Add (WinRow2D, PastKVSeqLen)
			WinDiff = Sub (WinAbsPos, WinCol2D)`
}

// paddingMask computes AttnBiasT: the bias with the unused end of an external
// cache masked, in the type of the queries.
func paddingMask(c *bodyCall) string {
	bias := "AttnBiasCausalWindow"
	if c.since() < 25 {
		bias = "AttnBiasCausalOrNot"
	}
	padded := fmt.Sprintf("AttnBiasCausalPad = Identity (%s)", bias)
	switch {
	case c.since() < 24:
		return fmt.Sprintf("AttnBiasT = Cast <to=%d> (%s)", c.dtype(0), bias)
	case c.hasInput(6):
		padded = fmt.Sprintf(`
			KVSeqLenExpanded = Unsqueeze (nonpad_kv_seqlen, One1D)
			KVSeqLen0D = Squeeze (KVSeqLen)
			Zero0D = int (0)
			One0D = int (1)
			Range = Range (Zero0D, KVSeqLen0D, One0D)
			PaddingMaskBool = Less (Range, KVSeqLenExpanded)
			PaddingMaskFloat = Where (PaddingMaskBool, ScalarZero, FloatNegInf)
			PaddingMask3D = Unsqueeze (PaddingMaskFloat, One1D)
			PaddingMask4DFloat = Unsqueeze (PaddingMask3D, One1D)
			PaddingMask4D = CastLike (PaddingMask4DFloat, %[1]s)
			AttnBiasCausalPad = Add (%[1]s, PaddingMask4D)`, bias)
	}
	return lines(padded, fmt.Sprintf("AttnBiasT = Cast <to=%d> (AttnBiasCausalPad)", c.dtype(0)))
}

// repeatedHeads repeats the keys and values for the queries that share them.
const repeatedHeads = `
			NGQACond1 = Equal (QNumHeads, KVNumHeads)
			GQACond1 = Not (NGQACond1)
			DivNumHeads = Div (QNumHeads, KVNumHeads)
			IDivNumHeads = Cast <to=7> (DivNumHeads)
			RemainderNumHeads = Mod (QNumHeads, KVNumHeads)
			GQACond2 = Equal (RemainderNumHeads, Zero1D)
			GQACond = And (GQACond1, GQACond2)
			InterleaveDim = Where (GQACond, IDivNumHeads, One1D)
			Two1D = ints (2)
			KUnsqueezed = Unsqueeze (PresentKey, Two1D)
			VUnsqueezed = Unsqueeze (PresentValue, Two1D)
			KExpandShape = Concat <axis=0> (BatchSize, KVNumHeads, InterleaveDim, NewKVSeqLen, QKHeadSize)
			KExpanded = Expand (KUnsqueezed, KExpandShape)
			VExpandShape = Concat <axis=0> (BatchSize, KVNumHeads, InterleaveDim, NewKVSeqLen, VHeadSize)
			VExpanded = Expand (VUnsqueezed, VExpandShape)
			KAttentionShape = Concat <axis=0> (BatchSize, QNumHeads, NewKVSeqLen, QKHeadSize)
			VAttentionShape = Concat <axis=0> (BatchSize, QNumHeads, NewKVSeqLen, VHeadSize)
			KAttentionInput = Reshape (KExpanded, KAttentionShape)
			VAttentionInput = Reshape (VExpanded, VAttentionShape)`

// attentionWeights computes SoftmaxOutSafe, the weights of the values.
func attentionWeights(c *bodyCall) string {
	typ := c.dtype(0)
	capped := fmt.Sprintf(`
			Softcap = floats (%v)
			SoftcapF = Cast <to=%d> (Softcap)
			SoftcapDiv = Div (QKAttnCast, SoftcapF)
			SoftcapTanh = Tanh (SoftcapDiv)
			QKAttnSoftcapped = Mul (SoftcapTanh, SoftcapF)`, c.float("softcap", 0), typ)
	scores := "QKAttnCast"
	if c.float("softcap", 0) != 0 {
		scores = "QKAttnSoftcapped"
	}
	shown := map[int64]string{1: scores, 2: "QKAttnWeightSoftcap", 3: "SoftmaxOutSafe"}[c.integer("qk_matmul_output_mode", 0)]
	if shown == "" {
		shown = "QKAttnWeight"
	}
	return lines(fmt.Sprintf(`
			KTranspose = Transpose <perm=[0, 1, 3, 2]> (KAttentionInput)
			QScaled = Mul (QReshaped, ScaleFactorF)
			KScaled = Mul (KTranspose, ScaleFactorF)
			QKAttnWeight = MatMul (QScaled, KScaled)
			QKAttnCast = Cast <to=%d> (QKAttnWeight)`, typ),
		when(c.float("softcap", 0) != 0, capped), fmt.Sprintf(`
			QKAttnWeightSoftcap = Add (%s, AttnBiasT)
			SoftmaxCast = Cast <to=%d> (QKAttnWeightSoftcap)
			AttnWeightSoftmax = Softmax (SoftmaxCast)
			SoftmaxOut = Cast <to=%d> (AttnWeightSoftmax)
			BiasRowMaxAxes = ints (-1)
			BiasRowMax = ReduceMax (AttnBiasT, BiasRowMaxAxes)
			FloatNegInfT = CastLike (FloatNegInf, AttnBiasT)
			RowAllMasked = Equal (BiasRowMax, FloatNegInfT)
			ZeroProbT = CastLike (ScalarZero, SoftmaxOut)
			SoftmaxOutSafe = Where (RowAllMasked, ZeroProbT, SoftmaxOut)`, scores, c.integer("softmax_precision", int64(typ)), typ),
		when(c.hasOutput(3), fmt.Sprintf("qk_matmul_output = Identity (%s)", shown)))
}
