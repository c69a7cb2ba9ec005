package ort

import (
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file says, for each operator, what ONNX's rule leaves open of the shape
// of an output that inference knows.

// A shapeLimit is what the runtime knows of the shape s of an output.
type shapeLimit func(n shapeinfer.InferredNode, slot int, s tensor.Shape) tensor.Shape

var shapeLimits = map[op.ID]shapeLimit{
	{Name: "MeanVarianceNormalization"}: noRule,

	{Domain: op.DomainML, Name: "CastMap"}:           noRule,
	{Domain: op.DomainML, Name: "DictVectorizer"}:    noRule,
	{Domain: op.DomainML, Name: "FeatureVectorizer"}: noRule,
	{Domain: op.DomainML, Name: "Imputer"}:           noRule,
	{Domain: op.DomainML, Name: "LinearRegressor"}:   noRule,
	{Domain: op.DomainML, Name: "Normalizer"}:        noRule,
	{Domain: op.DomainML, Name: "SVMClassifier"}:     noRule,
	{Domain: op.DomainML, Name: "SVMRegressor"}:      noRule,
	{Domain: op.DomainML, Name: "Scaler"}:            noRule,

	{Name: "GreaterOrEqual"}:                              ruleSince(16, 0),
	{Name: "LessOrEqual"}:                                 ruleSince(16, 0),
	{Domain: op.DomainML, Name: "TreeEnsembleClassifier"}: ruleSince(3, 0),
	{Domain: op.DomainML, Name: "TreeEnsembleRegressor"}:  ruleSince(3, 0),
	{Domain: op.DomainML, Name: "LabelEncoder"}:           ruleSince(2, 0),
	{Name: "Dropout"}:                                     ruleSince(10, 1),
	{Name: "BatchNormalization"}:                          ruleSince(14, 1),

	{Name: "Transpose"}: needsRanks(-1),
	{Name: "Concat"}:    needsRanks(-1),
	{Name: "Gemm"}:      needsRanks(2),
	{Domain: op.DomainML, Name: "ArrayFeatureExtractor"}: limitFeatureExtractor,

	{Name: "Conv"}:          limitWindow,
	{Name: "ConvInteger"}:   limitWindow,
	{Name: "ConvTranspose"}: limitWindow,
	{Name: "QLinearConv"}:   limitWindow,
	{Name: "DeformConv"}:    limitWindow,
	{Name: "AveragePool"}:   limitWindow,
	{Name: "MaxPool"}:       limitWindow,
	{Name: "LpPool"}:        limitWindow,
	{Name: "Resize"}:        limitResize,
	{Name: "Upsample"}:      limitResize,

	{Name: "ReduceL1"}:        needsSecond,
	{Name: "ReduceL2"}:        needsSecond,
	{Name: "ReduceLogSum"}:    needsSecond,
	{Name: "ReduceLogSumExp"}: needsSecond,
	{Name: "ReduceMax"}:       needsSecond,
	{Name: "ReduceMean"}:      needsSecond,
	{Name: "ReduceMin"}:       needsSecond,
	{Name: "ReduceProd"}:      needsSecond,
	{Name: "ReduceSum"}:       needsSecond,
	{Name: "ReduceSumSquare"}: needsSecond,
	{Name: "Tile"}:            needsSecond,
	{Name: "Squeeze"}:         needsSecond,
	{Name: "Unsqueeze"}:       needsSecond,

	{Name: "Compress"}: limitCompress,
	{Name: "Col2Im"}:   limitCol2Im,
	{Name: "Loop"}:     limitLoop,
	{Name: "NonZero"}:  limitNonZero,
	{Name: "Pad"}:      limitPad,
	{Name: "Reshape"}:  limitReshape,
	{Name: "Slice"}:    limitSlice,
	{Name: "Split"}:    limitSplit,
	{Name: "TopK"}:     limitTopK,
	{Name: "Unique"}:   limitUnique,
}

func noRule(shapeinfer.InferredNode, int, tensor.Shape) tensor.Shape { return tensor.Shape{} }

// ruleSince is for operators that got a rule for the outputs from a slot on with
// a later version.
func ruleSince(version, from int) shapeLimit {
	return func(n shapeinfer.InferredNode, slot int, s tensor.Shape) tensor.Shape {
		if slot >= from && n.Since < version {
			return tensor.Shape{}
		}
		return s
	}
}

// needsRanks is for rules that say nothing where the rank of one of the first
// inputs is not known; of all inputs for a negative number.
func needsRanks(first int) shapeLimit {
	return func(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
		for slot, in := range n.Inputs {
			if (first < 0 || slot < first) && in != nil && !in.Type.Shape.Ranked() {
				return tensor.Shape{}
			}
		}
		return s
	}
}

// needsSecond is for rules that read the axes or the repeats in input 1.
func needsSecond(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	if _, known := n.Dims(1); n.Has(1) && !known {
		return tensor.Shape{}
	}
	return s
}

// limitFeatureExtractor: a single index does not count.
func limitFeatureExtractor(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	if n.Shape(0).Rank() == 1 {
		return tensor.Shape{}
	}
	if n.Shape(1).Rank() == 0 {
		return forget(s, func(i int) bool { return i == s.Rank()-1 })
	}
	return s
}

func limitWindow(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	if !n.Shape(0).Ranked() {
		return tensor.Shape{}
	}
	return forget(s, func(i int) bool { return i >= 2 && !isNumber(n.Shape(0).At(i)) && !isNumber(s.At(i)) })
}

func limitResize(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	return forget(s, func(i int) bool { return !isNumber(n.Shape(0).At(i)) && !isNumber(s.At(i)) })
}

func limitTopK(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	axis := axisOf(n, -1, s)
	if _, known := n.Ints(1); n.Since >= 10 && (!known || !isNumber(n.Shape(0).At(axis))) {
		return forget(s, func(int) bool { return true })
	}
	return s
}

func limitCompress(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	if n.Since < 11 {
		return tensor.Shape{}
	}
	axis := axisOf(n, 0, s)
	return forget(s, func(i int) bool { return i == axis })
}

func limitUnique(n shapeinfer.InferredNode, slot int, s tensor.Shape) tensor.Shape {
	return forget(s, func(i int) bool { return slot > 0 || !dim.Equal(s.At(i), n.Shape(0).At(i)) })
}

func limitNonZero(_ shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	return forget(s, func(i int) bool { return i == 1 })
}

func limitCol2Im(_ shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	return forget(s, func(i int) bool { return i < 2 && !isNumber(s.At(i)) })
}

// forget makes the dims unknown for which drop says so.
func forget(s tensor.Shape, drop func(i int) bool) tensor.Shape {
	return s.Map(func(i int, d dim.Dim) dim.Dim {
		if d.IsKnown() && drop(i) {
			return dim.Unknown()
		}
		return d
	})
}

func isNumber(d dim.Dim) bool {
	_, ok := d.Int()
	return ok
}

func axisOf(n shapeinfer.InferredNode, def int64, s tensor.Shape) int {
	axis := n.Int("axis", def)
	if axis < 0 {
		axis += int64(s.Rank())
	}
	return int(axis)
}

// limitLoop: the shapes of carried values may change from iteration to
// iteration, and the trip count is not known.
func limitLoop(n shapeinfer.InferredNode, slot int, s tensor.Shape) tensor.Shape {
	if slot < len(n.Inputs)-2 {
		return tensor.Shape{}
	}
	return forget(s, func(i int) bool { return i == 0 })
}

// limitPad: with a list of axes, named dims outside it are lost.
func limitPad(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	if !n.Has(3) {
		return s
	}
	axes, _ := n.Ints(3)
	return forget(s, func(i int) bool {
		if isNumber(s.At(i)) {
			return false
		}
		for _, a := range axes {
			if int(a) == i || int(a)+s.Rank() == i {
				return false
			}
		}
		return true
	})
}

// limitSlice: without constant limits only the rank is known. In version 10 a
// sliced dim that has a name keeps it, whatever the limits are.
func limitSlice(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	in := n.Shape(0)
	if n.Since >= 10 {
		for slot := 1; slot < len(n.Inputs); slot++ {
			if _, ok := n.Ints(slot); n.Has(slot) && !ok {
				return forget(s, func(int) bool { return true })
			}
		}
	}
	if n.Since != 10 || !in.Ranked() || in.Rank() != s.Rank() {
		return s
	}
	dims := s.Clone()
	for i := range dims {
		if d := in.At(i); !isNumber(d) && !isNumber(dims[i]) {
			dims[i] = d
		}
	}
	return tensor.MakeShape(dims...)
}

// limitSplit: of an axis that is no number nothing is known, and if it is one,
// of parts that are no constants not even the rank.
func limitSplit(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	axis := axisOf(n, 0, s)
	if !isNumber(n.Shape(0).At(axis)) {
		return forget(s, func(i int) bool { return i == axis })
	}
	if _, ok := n.Ints(1); n.Since >= 13 && n.Has(1) && !ok {
		return tensor.Shape{}
	}
	return s
}

// limitReshape: a target that is no constant gives the rank, since version 14;
// what -1 stands for follows only from numbers, but for names that the target
// copies.
func limitReshape(n shapeinfer.InferredNode, _ int, s tensor.Shape) tensor.Shape {
	if n.Since < 5 {
		return tensor.Shape{}
	}
	target, ok := n.Dims(1)
	if !ok {
		if rank, known := n.Shape(1).At(0).Int(); known && n.Since >= 14 && rank <= 64 {
			return tensor.RankOnly(int(rank))
		}
		return tensor.Shape{}
	}
	copies := func(i int) bool {
		if i >= len(target) {
			return false
		}
		n, ok := target[i].Int()
		return ok && n == 0
	}
	onlyNumbers := n.Shape(0).Ranked()
	for i, d := range n.Shape(0).Dims() {
		onlyNumbers = onlyNumbers && (isNumber(d) || copies(i))
	}
	if onlyNumbers {
		return s
	}
	return forget(s, func(i int) bool {
		n, ok := int64(-1), true
		if i < len(target) {
			n, ok = target[i].Int()
		}
		return !ok || n == -1
	})
}
