package ort

import (
	"fmt"
	"strings"
)

// linearAttention runs a recurrence over the sequence.
func linearAttention(c *bodyCall) string {
	queries, keys, rule := c.integer("q_num_heads", 0), c.integer("kv_num_heads", 0), c.text("update_rule", "gated_delta")
	if queries <= 0 || keys <= 0 || queries%keys != 0 {
		return ""
	}
	decays, corrects := strings.HasPrefix(rule, "gated"), strings.HasSuffix(rule, "delta")
	grouped := queries > keys
	return lines(fmt.Sprintf(`
			NegOne1D = ints (-1)
			One1D = ints (1)
			HqConst = ints (%d)
			HkvConst = ints (%d)
			BatchDim = Shape <start=0, end=1> (query)
			SeqLenDim = Shape <start=1, end=2> (query)
			QShape4D = Concat <axis=0> (BatchDim, SeqLenDim, HqConst, NegOne1D)
			QReshaped = Reshape (query, QShape4D)
			Q4D = Transpose <perm=[1, 0, 2, 3]> (QReshaped)
			KVShape4D = Concat <axis=0> (BatchDim, SeqLenDim, HkvConst, NegOne1D)
			KReshaped = Reshape (key, KVShape4D)
			K4D = Transpose <perm=[1, 0, 2, 3]> (KReshaped)
			VReshaped = Reshape (value, KVShape4D)
			V4D = Transpose <perm=[1, 0, 2, 3]> (VReshaped)`, queries, keys),
		when(decays, `
			DecayReshaped = Reshape (decay, KVShape4D)
			Decay4D = Transpose <perm=[1, 0, 2, 3]> (DecayReshaped)`),
		when(corrects, `
			BetaShape4D = Concat <axis=0> (BatchDim, SeqLenDim, NegOne1D, One1D)
			BetaReshaped = Reshape (beta, BetaShape4D)
			Beta4D = Transpose <perm=[1, 0, 2, 3]> (BetaReshaped)`), `
			QLastDim = Shape <start=2, end=3> (query)
			VLastDim = Shape <start=2, end=3> (value)
			DkDim = Div (QLastDim, HqConst)
			DvDim = Div (VLastDim, HkvConst)`,
		when(c.hasInput(3), "State0 = Cast <to=1> (past_state)"),
		when(!c.hasInput(3), `
			StateShape = Concat <axis=0> (BatchDim, HkvConst, DkDim, DvDim)
			State0 = ConstantOfShape (StateShape)`),
		linearScale(c),
		when(grouped, fmt.Sprintf(`
			GroupSize = ints (%d)
			Two1D = ints (2)
			StateExpandShape = Concat <axis=0> (BatchDim, HkvConst, GroupSize, DkDim, DvDim)
			StateReadShape = Concat <axis=0> (BatchDim, HqConst, DkDim, DvDim)`, queries/keys)), `
			NegTwo1D = ints (-2)`,
		recurrence(decays, corrects, grouped), `
			OutputTransposed = Transpose <perm=[1, 0, 2, 3]> (OutputAccum)
			OutputShape3D = Concat <axis=0> (BatchDim, SeqLenDim, NegOne1D)
			output = Reshape (OutputTransposed, OutputShape3D)`,
		when(c.hasInput(3), "present_state = CastLike (FinalState, past_state)"),
		when(!c.hasInput(3), "present_state = CastLike (FinalState, query)"))
}

func linearScale(c *bodyCall) string {
	if s := c.float("scale", 0); s != 0 {
		return fmt.Sprintf("ScaleFactor = float (%v)", s)
	}
	return `
			DkScalar = Squeeze (DkDim)
			DkFloat = Cast <to=1> (DkScalar)
			SqrtDk = Sqrt (DkFloat)
			ScaleFactor = Reciprocal (SqrtDk)`
}

// recurrence is the Scan over the sequence. The state decays or not, and what is
// written to it is the value or its difference from what the state holds.
func recurrence(decays, corrects, grouped bool) string {
	state := "state_in"
	if decays {
		state = "DecayedState"
	}
	written := "WriteRow = Unsqueeze (v_t_f, NegTwo1D)\nOuter = MatMul (KtCol, WriteRow)"
	if corrects {
		written = fmt.Sprintf(`
				StateT = Transpose <perm=[0, 1, 3, 2]> (%s)
				Retrieved = MatMul (StateT, KtCol)
				RetrievedSq = Squeeze (Retrieved, NegOne1D)
				Diff = Sub (v_t_f, RetrievedSq)
				Delta = Mul (beta_t_f, Diff)
				WriteRow = Unsqueeze (Delta, NegTwo1D)
				Outer = MatMul (KtCol, WriteRow)`, state)
	}
	read := "ReadOut = MatMul (QtRow, state_out)"
	if grouped {
		read = "ReadOut = MatMul (QtRow, StateForRead)"
	}
	scanned := 3 + len(when(decays, "1")) + len(when(corrects, "1"))
	return lines(
		fmt.Sprintf("FinalState, OutputAccum = Scan <num_scan_inputs=%d, body=(state_in, q_t, k_t, v_t%s%s) => (state_out, output_t) {",
			scanned, when(decays, ", decay_t"), when(corrects, ", beta_t")), `
				q_t_f = Cast <to=1> (q_t)
				k_t_f = Cast <to=1> (k_t)
				v_t_f = Cast <to=1> (v_t)`,
		when(decays, "decay_t_f = Cast <to=1> (decay_t)"),
		when(corrects, "beta_t_f = Cast <to=1> (beta_t)"),
		when(decays, `
				DecayExp = Exp (decay_t_f)
				DecayExpUnsq = Unsqueeze (DecayExp, NegOne1D)
				DecayedState = Mul (state_in, DecayExpUnsq)`), `
				KtCol = Unsqueeze (k_t_f, NegOne1D)`,
		written,
		fmt.Sprintf("state_out = Add (%s, Outer)", state),
		when(grouped, `
				StateUnsq = Unsqueeze (state_out, Two1D)
				StateExpanded = Expand (StateUnsq, StateExpandShape)
				StateForRead = Reshape (StateExpanded, StateReadShape)`), `
				QtRow = Unsqueeze (q_t_f, NegTwo1D)`,
		read, `
				ReadSq = Squeeze (ReadOut, NegTwo1D)
				output_t_f = Mul (ScaleFactor, ReadSq)
				output_t = CastLike (output_t_f, q_t)
			}> (State0, Q4D, K4D, V4D`+when(decays, ", Decay4D")+when(corrects, ", Beta4D")+")")
}

// causalConvolution pads at the left, or takes what the last call left over.
func causalConvolution(c *bodyCall) string {
	channels, known := c.dim(0, 1)
	if !known {
		if channels, known = c.dim(1, 0); !known {
			return ""
		}
	}
	activation := "output = Identity (ConvOut)"
	switch c.text("activation", "none") {
	case "silu", "swish":
		activation = `
			ConvOutFloat = Cast <to=1> (ConvOut)
			ConvSigmoid = Sigmoid (ConvOutFloat)
			MulOutFloat = Mul (ConvOutFloat, ConvSigmoid)
			output = CastLike (MulOutFloat, ConvOut)`
	case "none":
	default:
		return ""
	}
	return lines(`
			One1D = ints (1)
			KernelSize = Shape <start=2, end=3> (weight)
			Km1 = Sub (KernelSize, One1D)`,
		when(c.hasInput(3), "PaddedInput = Concat <axis=2> (past_state, input)"),
		when(!c.hasInput(3), `
			BatchDim = Shape <start=0, end=1> (input)
			ChannelDim = Shape <start=1, end=2> (input)
			ZeroPadShape = Concat <axis=0> (BatchDim, ChannelDim, Km1)
			ZeroPad = ConstantOfShape (ZeroPadShape)
			ZeroPadCast = CastLike (ZeroPad, input)
			PaddedInput = Concat <axis=2> (ZeroPadCast, input)`),
		fmt.Sprintf("ConvOut = Conv <group=%d> (PaddedInput, weight%s)", channels, when(c.hasInput(2), ", bias")),
		activation, `
			PadLen = Shape <start=2, end=3> (PaddedInput)
			StartIdx = Sub (PadLen, Km1)
			SliceAxes = ints (2)
			present_state = Slice (PaddedInput, StartIdx, PadLen, SliceAxes)`)
}
