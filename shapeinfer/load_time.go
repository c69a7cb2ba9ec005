package shapeinfer

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file limits an inference to what ONNX Runtime 1.32 knows when it loads a
// model ([OrtLoad]): ONNX's per-operator rules, in which a dim is a number, a
// name or nothing, and the few values that the runtime propagates. Sources: the
// inference functions of the operators' definitions in onnx/defs, ONNX
// Runtime's core/graph/data_propagation, and the types that the runtime reports
// for each operator with named, unnamed and fixed dims.

// limitToLoadTime forgets what the runtime does not know of one output.
func (f *frame) limitToLoadTime(n *onnxgraph.Node, node *Node, slot int, fact *tensor.Fact) {
	if !f.propagates(n, fact) {
		fact.Value = nil
	}
	fact.Items = nil
	t := &fact.Type
	for t.Elem != nil {
		elem := *t.Elem
		t.Elem = &elem
		t = t.Elem
	}
	if standardDomain(n) {
		t.Shape = f.limitShape(n, node, slot, t.Shape)
	}
	t.Shape = namesOnly(t.Shape)
}

func standardDomain(n *onnxgraph.Node) bool {
	d := onnxgraph.CanonicalDomain(n.Domain)
	return d == "" || d == "ai.onnx.ml"
}

// namesOnly forgets dims that are neither a number nor a plain name.
func namesOnly(s tensor.Shape) tensor.Shape {
	return s.Map(func(_ int, d dim.Dim) dim.Dim {
		if d.IsSymbolic() && (d.HasBounded() || !isName(d)) {
			return dim.Unknown()
		}
		return d
	})
}

// isName reports whether an expression is one symbol and nothing else.
func isName(d dim.Dim) bool {
	names := d.Symbols()
	return len(names) == 1 && d.String() == names[0]
}

// propagates reports whether the runtime follows the elements of a node's
// output: those of a constant; of a Shape whose dims are all numbers; and what
// some operators make of such lists and their single elements. Constants do
// not take part in that.
func (f *frame) propagates(n *onnxgraph.Node, fact *tensor.Fact) bool {
	if fact.Value == nil || onnxgraph.CanonicalDomain(n.Domain) != "" {
		return false
	}
	if n.OpType == "Constant" {
		return true
	}
	for _, x := range fact.Value.Elems {
		if _, ok := x.Int64(); !ok {
			return false
		}
	}
	single := len(fact.Value.Elems) == 1 && len(fact.Value.Dims) <= 1
	switch n.OpType {
	case "Shape":
		return true
	case "Cast":
		return f.propagated(0)
	case "Gather", "Squeeze", "Unsqueeze":
		return single && f.propagated(0)
	case "Concat":
		return f.allPropagated(true)
	case "Add", "Sub", "Mul":
		return f.allPropagated(!single)
	case "Div":
		return single && f.allPropagated(false)
	}
	return false
}

// allPropagated reports whether the elements of all inputs are propagated, and
// are lists where that matters.
func (f *frame) allPropagated(lists bool) bool {
	for slot := range f.call.Inputs {
		if !f.propagated(slot) || lists && len(f.call.In(slot).Value.Dims) != 1 {
			return false
		}
	}
	return true
}

// propagated reports whether the elements of an input are known and do not come
// from a constant.
func (f *frame) propagated(slot int) bool {
	fact := f.call.In(slot)
	if fact.Value == nil {
		return false
	}
	v := &f.scope.Graph.Values[f.scope.Graph.NodeInputs(f.node)[slot]]
	return v.Origin == onnxgraph.NodeOutput && f.scope.Graph.Nodes[v.Producer].OpType != "Constant"
}

// limitShape applies what ONNX's rule for an operator leaves open.
func (f *frame) limitShape(n *onnxgraph.Node, node *Node, slot int, s tensor.Shape) tensor.Shape {
	switch n.OpType {
	case "MeanVarianceNormalization", "CastMap", "DictVectorizer", "FeatureVectorizer", "Imputer", "LinearRegressor", "Normalizer",
		"SVMClassifier", "SVMRegressor", "Scaler": // no rule
		return tensor.Shape{}
	case "GreaterOrEqual", "LessOrEqual":
		return since(node, 16, s)
	case "TreeEnsembleClassifier", "TreeEnsembleRegressor":
		return since(node, 3, s)
	case "LabelEncoder":
		return since(node, 2, s)
	case "Transpose", "Concat":
		for _, in := range f.call.Inputs {
			if in != nil && !in.Type.Shape.Ranked() {
				return tensor.Shape{}
			}
		}
	case "Dropout":
		if slot == 1 && node.Since < 10 {
			return tensor.Shape{}
		}
	case "BatchNormalization":
		if slot > 0 && node.Since < 14 {
			return tensor.Shape{}
		}
	case "ArrayFeatureExtractor":
		if f.call.Shape(0).Rank() == 1 {
			return tensor.Shape{}
		}
		if indices := f.call.Shape(1); indices.Ranked() && indices.Rank() == 0 {
			return forget(s, func(i int) bool { return i == s.Rank()-1 }) // a single index does not count
		}
	case "Loop":
		return f.limitLoop(slot, s)
	case "Gemm":
		if !f.call.Shape(0).Ranked() || !f.call.Shape(1).Ranked() {
			return tensor.Shape{}
		}
	case "Conv", "ConvInteger", "ConvTranspose", "QLinearConv", "DeformConv", "AveragePool", "MaxPool", "LpPool":
		if !f.call.Shape(0).Ranked() {
			return tensor.Shape{}
		}
		return forget(s, func(i int) bool { return i >= 2 && !isNumber(f.call.Shape(0).At(i)) && !isNumber(s.At(i)) })
	case "Resize", "Upsample":
		return forget(s, func(i int) bool { return !isNumber(f.call.Shape(0).At(i)) && !isNumber(s.At(i)) })
	case "TopK":
		axis := f.axisOf(n, -1, s)
		if _, known := f.call.Ints(1); node.Since >= 10 && (!known || !isNumber(f.call.Shape(0).At(axis))) {
			return forget(s, func(int) bool { return true })
		}
	case "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum",
		"ReduceSumSquare", "Tile", "Squeeze", "Unsqueeze":
		if _, known := f.call.Dims(1); f.call.Has(1) && !known {
			return tensor.Shape{} // of the axes or the repeats
		}
	case "Pad":
		return f.limitPad(s)
	case "Slice":
		return f.limitSlice(node, s)
	case "Split":
		return f.limitSplit(n, node, s)
	case "Reshape":
		return f.limitReshape(node, s)
	case "Compress":
		axis := f.axisOf(n, 0, s)
		return since(node, 11, forget(s, func(i int) bool { return i == axis }))
	case "Unique":
		return forget(s, func(i int) bool { return slot > 0 || !dim.Equal(s.At(i), f.call.Shape(0).At(i)) })
	case "NonZero":
		return forget(s, func(i int) bool { return i == 1 })
	case "Col2Im":
		return forget(s, func(i int) bool { return i < 2 && !isNumber(s.At(i)) })
	}
	return s
}

// since is the shape of an operator that got its rule with a later version.
func since(node *Node, version int, s tensor.Shape) tensor.Shape {
	if node.Since < version {
		return tensor.Shape{}
	}
	return s
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

func (f *frame) axisOf(n *onnxgraph.Node, def int64, s tensor.Shape) int {
	axis := def
	if a := n.Attribute("axis"); a != nil {
		axis = a.Int
	}
	if axis < 0 {
		axis += int64(s.Rank())
	}
	return int(axis)
}

// limitLoop: the shapes of carried values may change from turn to turn, and the
// number of turns is not known.
func (f *frame) limitLoop(slot int, s tensor.Shape) tensor.Shape {
	if slot < len(f.call.Inputs)-2 {
		return tensor.Shape{}
	}
	return forget(s, func(i int) bool { return i == 0 })
}

// limitPad: with a list of axes, named dims outside it are lost.
func (f *frame) limitPad(s tensor.Shape) tensor.Shape {
	if !f.call.Has(3) {
		return s
	}
	axes, _ := f.call.Ints(3)
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
func (f *frame) limitSlice(node *Node, s tensor.Shape) tensor.Shape {
	in := f.call.Shape(0)
	if node.Since >= 10 {
		for slot := 1; slot < len(f.call.Inputs); slot++ {
			if _, ok := f.call.Ints(slot); f.call.Has(slot) && !ok {
				return forget(s, func(int) bool { return true })
			}
		}
	}
	if node.Since != 10 || !in.Ranked() || in.Rank() != s.Rank() {
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
func (f *frame) limitSplit(n *onnxgraph.Node, node *Node, s tensor.Shape) tensor.Shape {
	axis := f.axisOf(n, 0, s)
	if !isNumber(f.call.Shape(0).At(axis)) {
		return forget(s, func(i int) bool { return i == axis })
	}
	if _, ok := f.call.Ints(1); node.Since >= 13 && f.call.Has(1) && !ok {
		return tensor.Shape{}
	}
	return s
}

// limitReshape: a target that is no constant gives the rank, since version 14;
// what -1 stands for follows only from numbers, but for names that the target
// copies.
func (f *frame) limitReshape(node *Node, s tensor.Shape) tensor.Shape {
	if node.Since < 5 {
		return tensor.Shape{}
	}
	target, ok := f.call.Dims(1)
	if !ok {
		if n, known := f.call.Shape(1).At(0).Int(); known && node.Since >= 14 && n <= 64 {
			return tensor.RankOnly(int(n))
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
	onlyNumbers := f.call.Shape(0).Ranked()
	for i, d := range f.call.Shape(0).Dims() {
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

// carriedAtLoadTime forgets the shapes of values that a Loop carries from turn
// to turn: turns may change them.
func carriedAtLoadTime(n *onnxgraph.Node, inputs []tensor.Fact) []tensor.Fact {
	if n.OpType != "Loop" || onnxgraph.CanonicalDomain(n.Domain) != "" {
		return inputs
	}
	inputs = append([]tensor.Fact(nil), inputs...)
	for i := 2; i < len(inputs); i++ {
		inputs[i].Type.Shape, inputs[i].Value = tensor.Shape{}, nil
	}
	return inputs
}
