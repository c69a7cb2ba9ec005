package ort

import (
	"fmt"

	"onnxmem/onnxgraph"
)

// normalizationBodies are the normalisations.
func normalizationBodies() []functionBody {
	return []functionBody{
		{name: "GroupNormalization", since: 18, inputs: "X scale bias", outputs: "Y", text: groupNormalization},
	}
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
	return normalizedGroups(fmt.Sprintf("XU = Cast <to=%d> (X)", stash), "XU", groups, stash) + fmt.Sprintf(`
			NormalizedOriginalShape = Reshape (NormalizedU, XShape)
			NormalizedNC = Reshape (NormalizedOriginalShape, Shape3D)
			NormalizedT = Cast <to=%d> (NormalizedNC)`, typ) + scaledGroups("NormalizedT", "1, -1, 1", typ)
}

// normalizedGroups computes NormalizedU from x, which prepare makes, in the type
// typ. The order of the nodes decides when they run.
func normalizedGroups(prepare, x string, groups int64, typ onnxgraph.DType) string {
	return fmt.Sprintf(`
			FloatEpsilon = floats (1)
			Epsilon = Cast <to=%d> (FloatEpsilon)
			%s
			XShape = Shape (%s)
			C = Shape <start=1, end=2> (X)
			NumGroups = ints (%d)
			GroupSize = Div (C, NumGroups)
			N = Shape <start=0, end=1> (X)
			InstanceShape = Shape <start=2> (X)
			NewShape = Concat <axis=0> (N, NumGroups, GroupSize, InstanceShape)
			XReshaped = Reshape (%s, NewShape)
			Shape3D = ints (0, 0, -1)
			X3D = Reshape (XReshaped, Shape3D)
			Axes2 = ints (2)
			Mean = ReduceMean (X3D, Axes2)
			Square = Mul (X3D, X3D)
			MeanOfSquare = ReduceMean (Square, Axes2)
			SquareOfMean = Mul (Mean, Mean)
			Var = Sub (MeanOfSquare, SquareOfMean)
			VarPlusEpsilon = Add (Var, Epsilon)
			StdDev = Sqrt (VarPlusEpsilon)
			Deviation = Sub (X3D, Mean)
			NormalizedU = Div (Deviation, StdDev)`, typ, prepare, x, groups, x)
}

// scaledGroups computes Y from what is normalised, with scale and bias in the
// dims of shape.
func scaledGroups(normalized, shape string, typ onnxgraph.DType) string {
	return fmt.Sprintf(`
			ScaleShape = ints (%s)
			ScaleT = Cast <to=%d> (scale)
			BiasT = Cast <to=%d> (bias)
			ScaleReshaped = Reshape (ScaleT, ScaleShape)
			BiasReshaped = Reshape (BiasT, ScaleShape)
			Scaled = Mul (ScaleReshaped, %s)
			Biased = Add (Scaled, BiasReshaped)
			Y = Reshape (Biased, XShape)`, shape, typ, typ, normalized)
}
