package ort

import (
	"fmt"

	"onnxmem/onnxgraph"
)

// generatorBodies make tensors out of little: random ones, ranges, windows and
// grids.
func generatorBodies() []functionBody {
	return []functionBody{
		{name: "Bernoulli", since: 15, inputs: "input", outputs: "output", text: bernoulli},
		{name: "Range", since: 27, inputs: "start limit delta", outputs: "output", text: rangeLoop},
		{name: "HannWindow", opsets: []int64{17}, inputs: "size", outputs: "output", text: window},
		{name: "HammingWindow", opsets: []int64{17}, inputs: "size", outputs: "output", text: window},
		{name: "BlackmanWindow", opsets: []int64{17}, inputs: "size", outputs: "output", text: window},
		{name: "AffineGrid", opsets: []int64{20}, inputs: "theta size", outputs: "grid", text: affineGrid},
	}
}

func bernoulli(c *bodyCall) string {
	return fmt.Sprintf(`
			X_random = RandomUniformLike <dtype=%d> (input)
			X_greater = Greater (X_random, input)
			output = Cast <to=%d> (X_greater)`, c.dtype(0), c.integer("dtype", int64(c.dtype(0))))
}

// rangeLoop adds the elements one by one. Those of 16 bits are computed in
// another type.
func rangeLoop(c *bodyCall) string {
	typ := c.dtype(0)
	stash := onnxgraph.DType(c.integer("stash_type", int64(onnxgraph.Float)))
	if typ != onnxgraph.Float16 && typ != onnxgraph.Bfloat16 || stash != onnxgraph.Float && stash != onnxgraph.Double {
		return ""
	}
	return fmt.Sprintf(`
			start_s = Cast <to=%[1]d> (start)
			limit_s = Cast <to=%[1]d> (limit)
			delta_s = Cast <to=%[1]d> (delta)
			sub_result = Sub (limit_s, start_s)
			div_result = Div (sub_result, delta_s)
			ceil_result = Ceil (div_result)
			ceil_relu = Relu (ceil_result)
			n = Cast <to=7> (ceil_relu)
			loop_cond = Cast <to=9> (ceil_relu)
			variadic_output, output_s = Loop <body=(i, cond_in, prev) => (cond_out, current, range) {
				cond_out = Identity (cond_in)
				current = Add (prev, delta_s)
				range = Identity (prev)
			}> (n, loop_cond, start_s)
			output = Cast <to=%[2]d> (output_s)`, stash, typ)
}

// window is that of Hann, Hamming and Blackman, which differ in constants only.
func window(c *bodyCall) string {
	return fmt.Sprintf(`
			A0 = float (0.5)
			A1 = float (0.5)
			A2 = float (0)
			Zero = float (0)
			One = float (1)
			Two = float (2)
			Tau = float (6.2831855)
			Periodic_Size_FP = Cast <to=1> (size)
			Symmetric_Size_FP = Sub (Periodic_Size_FP, One)
			IsPeriodic = int (%d)
			IsPeriodic_FP = Cast <to=1> (IsPeriodic)
			IsSymmetric_FP = Sub (One, IsPeriodic_FP)
			Periodic_Component = Mul (Periodic_Size_FP, IsPeriodic_FP)
			Symmetric_Component = Mul (Symmetric_Size_FP, IsSymmetric_FP)
			Size_FP = Add (Periodic_Component, Symmetric_Component)
			AngularIncrement = Div (Tau, Size_FP)
			Range = Range (Zero, Periodic_Size_FP, One)
			RangeAngular = Mul (Range, AngularIncrement)
			TwoRangeAngular = Mul (RangeAngular, Two)
			CosTwoRangeAngular = Cos (TwoRangeAngular)
			A2_Component = Mul (A2, CosTwoRangeAngular)
			CosRangeAngular = Cos (RangeAngular)
			A1_Component = Mul (A1, CosRangeAngular)
			Temp0 = Sub (A0, A1_Component)
			Temp1 = Add (Temp0, A2_Component)
			output = Cast <to=%d> (Temp1)`, c.integer("periodic", 1), c.integer("output_datatype", 1))
}
