package control

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/movement"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators on sequences. Where the length of a sequence
// is known the type of each element is followed; else only what all have in
// common.
//
// SequenceConstruct: https://onnx.ai/onnx/operators/onnx__SequenceConstruct.html
// SequenceEmpty: https://onnx.ai/onnx/operators/onnx__SequenceEmpty.html
// SequenceInsert: https://onnx.ai/onnx/operators/onnx__SequenceInsert.html
// SequenceErase: https://onnx.ai/onnx/operators/onnx__SequenceErase.html
// SequenceAt: https://onnx.ai/onnx/operators/onnx__SequenceAt.html
// SequenceLength: https://onnx.ai/onnx/operators/onnx__SequenceLength.html
// ConcatFromSequence: https://onnx.ai/onnx/operators/onnx__ConcatFromSequence.html
// None of them has changed.
//
// SplitToSequence: https://onnx.ai/onnx/operators/onnx__SplitToSequence.html
// 24: more element types.
var sequenceOps = []op.Op{
	{Name: "SequenceConstruct", Versions: []int{11}, Infer: sequenceConstruct, Effect: op.Moves},
	{Name: "SequenceEmpty", Versions: []int{11}, Infer: sequenceEmpty, Effect: op.Moves},
	{Name: "SequenceInsert", Versions: []int{11}, Infer: sequenceInsert, Effect: op.Moves},
	{Name: "SequenceErase", Versions: []int{11}, Infer: sequenceErase, Effect: op.Moves},
	{Name: "SequenceAt", Versions: []int{11}, Infer: sequenceAt, Effect: op.Moves},
	{Name: "SequenceLength", Versions: []int{11}, Infer: sequenceLength, Effect: op.Moves},
	{Name: "ConcatFromSequence", Versions: []int{11}, Infer: concatFromSequence, Effect: op.Moves},
	{Name: "SplitToSequence", Versions: []int{11, 24}, Infer: splitToSequence, Effect: op.Moves},
}

// maxItems bounds the sequences whose elements are followed one by one.
const maxItems = 1024

// setSequence sets output 0 to a sequence of these elements, one by one.
func setSequence(c *op.Call, items []tensor.Type) error {
	if len(items) == 0 {
		return nil
	}
	elem := items[0]
	for _, t := range items[1:] {
		var ok bool
		if elem, ok = joinTypes(elem, t, unknownDim); !ok {
			return c.Errorf(op.CodeType, "elements %s and %s of a sequence must have one type", elem, t)
		}
	}
	if len(items) > maxItems {
		items = nil
	}
	setSequenceOf(c, elem, items)
	return nil
}

func setSequenceOf(c *op.Call, elem tensor.Type, items []tensor.Type) {
	if len(c.Outputs) > 0 {
		c.Outputs[0] = tensor.Fact{Type: tensor.SequenceOf(elem), Items: items}
	}
}

// elemType is the type of the elements of the sequence in slot i.
func elemType(c *op.Call, i int) (tensor.Type, error) {
	t := c.Type(i)
	switch {
	case t.Kind == onnxgraph.KindUnset:
		return tensor.Type{Kind: onnxgraph.KindTensor}, nil
	case t.Kind != onnxgraph.KindSequence:
		return t, c.Errorf(op.CodeType, "input %d is not a sequence: %s", i, t)
	case t.Elem == nil:
		return tensor.Type{Kind: onnxgraph.KindTensor}, nil
	}
	return *t.Elem, nil
}

func sequenceConstruct(c *op.Call) error {
	items := make([]tensor.Type, len(c.Inputs))
	for i := range items {
		if items[i] = c.Type(i); items[i].Kind == onnxgraph.KindUnset {
			items[i].Kind = onnxgraph.KindTensor
		}
	}
	return setSequence(c, items)
}

func sequenceEmpty(c *op.Call) error {
	d, err := c.ElementType("dtype", onnxgraph.Float)
	if err != nil {
		return err
	}
	setSequenceOf(c, tensor.Of(d, tensor.Shape{}), []tensor.Type{})
	return nil
}

// position is input slot i as a place in a sequence of count elements, which
// may be past the last one if end is set.
func position(c *op.Call, i, count int, end bool) (at int, ok bool, err error) {
	p, ok := c.Number(i).Int()
	if !ok {
		return 0, false, nil
	}
	n, limit := p, int64(count)
	if n < 0 {
		n += int64(count)
	}
	if !end {
		limit--
	}
	if n < 0 || n > limit {
		return 0, false, c.Errorf(op.CodeValue, "position %d is outside a sequence of %d elements", p, count)
	}
	return int(n), true, nil
}

func sequenceInsert(c *op.Call) error {
	elem, err := elemType(c, 0)
	if err != nil {
		return err
	}
	added := c.Type(1)
	if added.Kind == onnxgraph.KindUnset {
		added.Kind = onnxgraph.KindTensor
	}
	items := c.In(0).Items
	all, ok := joinTypes(elem, added, unknownDim)
	if !ok {
		return c.Errorf(op.CodeType, "a sequence of %s does not take %s", elem, added)
	}
	if items == nil {
		setSequenceOf(c, all, nil)
		return nil
	}
	at := len(items)
	if c.Has(2) {
		if at, ok, err = position(c, 2, len(items), true); err != nil {
			return err
		}
	}
	longer := make([]tensor.Type, 0, len(items)+1)
	if !ok { // somewhere: each element may be any of them
		if len(items) > 0 {
			added = all
		}
		for range len(items) + 1 {
			longer = append(longer, added)
		}
		return setSequence(c, longer)
	}
	longer = append(append(append(longer, items[:at]...), added), items[at:]...)
	return setSequence(c, longer)
}

func sequenceErase(c *op.Call) error {
	elem, err := elemType(c, 0)
	if err != nil {
		return err
	}
	setSequenceOf(c, elem, nil)
	items := c.In(0).Items
	if items == nil {
		return nil
	}
	at, ok := len(items)-1, true
	if c.Has(1) {
		if at, ok, err = position(c, 1, len(items), false); err != nil {
			return err
		}
	}
	switch {
	case len(items) == 0:
		return c.Errorf(op.CodeValue, "the sequence is empty")
	case len(items) == 1:
		setSequenceOf(c, elem, []tensor.Type{})
		return nil
	case !ok:
		shorter := make([]tensor.Type, len(items)-1)
		for i := range shorter {
			shorter[i] = elem
		}
		return setSequence(c, shorter)
	}
	return setSequence(c, slices.Concat(items[:at], items[at+1:]))
}

func sequenceAt(c *op.Call) error {
	elem, err := elemType(c, 0)
	if err != nil {
		return err
	}
	if items := c.In(0).Items; items != nil {
		at, ok, err := position(c, 1, len(items), false)
		if err != nil {
			c.SetType(0, elem)
			return err
		}
		if ok {
			elem = items[at]
		}
	}
	if elem.IsTensor() && elem.Shape.Ranked() {
		dims := elem.Shape.Clone()
		for i, d := range dims {
			if !d.IsKnown() {
				dims[i] = c.NewSymbol(0, i, 0, longest(c.In(0).Items, i))
			}
		}
		elem.Shape = tensor.MakeShape(dims...)
	}
	c.SetType(0, elem)
	return nil
}

// longest is the greatest of the elements' dims on an axis.
func longest(items []tensor.Type, axis int) dim.Dim {
	most := dim.Unknown()
	for i, t := range items {
		if most = dim.Max(most, t.Shape.At(axis)); i == 0 {
			most = t.Shape.At(axis)
		}
	}
	return most
}

func sequenceLength(c *op.Call) error {
	c.Set(0, onnxgraph.Int64, tensor.ScalarShape())
	if _, err := elemType(c, 0); err != nil {
		return err
	}
	if items := c.In(0).Items; items != nil {
		c.SetValue(0, tensor.ScalarOf(onnxgraph.Int64, tensor.Int(int64(len(items)))))
	}
	return nil
}

// concatFromSequence joins the elements along an axis, or stacks them along a
// new one.
func concatFromSequence(c *op.Call) error {
	elem, err := elemType(c, 0)
	if err != nil {
		return err
	}
	c.Set(0, elem.DType, tensor.Shape{})
	stack := c.Int("new_axis", 0)
	if stack != 0 && stack != 1 {
		return c.Errorf(op.CodeAttribute, "new_axis is %d", stack)
	}
	if !c.HasAttr("axis") {
		return c.Errorf(op.CodeAttribute, "the attribute axis is missing")
	}
	if !elem.Shape.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("axis", 0), elem.Shape.Rank()+int(stack))
	if err != nil {
		return err
	}
	items := c.In(0).Items
	if stack == 1 {
		count := dim.Int(int64(len(items)))
		if items == nil {
			count = c.NewSymbol(0, axis, 0, dim.Unknown())
		}
		c.SetType(0, stacked(elem, axis, count))
		return nil
	}
	if len(items) > 0 {
		shapes := make([]tensor.Shape, len(items))
		for i, t := range items {
			shapes[i] = t.Shape
		}
		shape, _, err := movement.ConcatShapes(c, shapes, int64(axis))
		if err == nil {
			c.Set(0, elem.DType, shape)
			return nil
		}
		// The file may still be right where a sequence is filled in a way that
		// its elements never meet.
		c.Engine.Warn(op.CodeShape, err.Error())
	}
	out := elem.Shape.Clone()
	out[axis] = c.NewSymbol(0, axis, 0, dim.Unknown())
	c.Set(0, elem.DType, tensor.MakeShape(out...))
	return nil
}

// splitToSequence cuts a tensor into parts of the sizes in a vector, into
// parts of one size with a shorter last one (a scalar), or into single
// entries, whose axis goes unless keepdims is set.
func splitToSequence(c *op.Call) error {
	in := c.Type(0)
	in.Kind = onnxgraph.KindTensor
	setSequenceOf(c, withoutShape(in), nil)
	if s := c.Shape(1); s.Ranked() && s.Rank() > 1 {
		return c.Errorf(op.CodeRank, "split must be a scalar or a vector, not %s", s)
	}
	if !in.Shape.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("axis", 0), in.Shape.Rank())
	if err != nil {
		return err
	}
	d := in.Shape.At(axis)
	if !c.Has(1) && !c.Flag("keepdims", true) {
		in.Shape = withoutAxis(in.Shape, axis)
		setSequenceOf(c, in, repeatedType(in, d))
		return nil
	}
	part := func(length dim.Dim) tensor.Type {
		out := in.Shape.Clone()
		out[axis] = length
		return tensor.Of(in.DType, tensor.MakeShape(out...))
	}
	if !c.Has(1) {
		one := part(dim.Int(1))
		setSequenceOf(c, one, repeatedType(one, d))
		return nil
	}
	if c.Shape(1).Rank() == 1 {
		return splitToSizes(c, d, part)
	}
	return splitToChunks(c, d, c.Number(1), part)
}

// repeatedType is the types of count equal elements; nil when their number is
// not known.
func repeatedType(t tensor.Type, count dim.Dim) []tensor.Type {
	n, ok := count.Int()
	if !ok || n > maxItems {
		return nil
	}
	items := make([]tensor.Type, n)
	for i := range items {
		items[i] = t
	}
	return items
}

func splitToSizes(c *op.Call, d dim.Dim, part func(dim.Dim) tensor.Type) error {
	sizes, n, err := c.Sizes(1, "split")
	if err != nil {
		return err
	}
	setSequenceOf(c, part(dim.Unknown()), nil)
	if n < 0 {
		return nil
	}
	if n == 0 {
		setSequenceOf(c, part(dim.Unknown()), []tensor.Type{})
		return nil
	}
	if sizes, err = movement.PartsOfSizes(c, d, sizes); err != nil {
		return err
	}
	items := make([]tensor.Type, n)
	for i, s := range sizes {
		items[i] = part(s)
	}
	return setSequence(c, items)
}

func splitToChunks(c *op.Call, d, size dim.Dim, part func(dim.Dim) tensor.Type) error {
	n, ok := size.Int()
	if ok && n < 1 {
		return c.Errorf(op.CodeValue, "split is %d", n)
	}
	_, divides := dim.DivideExact(d, size)
	length, isInt := d.Int()
	switch {
	case divides:
		setSequenceOf(c, part(size), repeatedType(part(size), dim.Div(d, size)))
	case ok && isInt && n >= length:
		setSequenceOf(c, part(d), []tensor.Type{part(d)})
	case ok && isInt && length/n < maxItems:
		items := repeatedType(part(size), dim.Int(length/n))
		return setSequence(c, append(items, part(dim.Int(length%n))))
	default:
		setSequenceOf(c, part(dim.Unknown()), nil)
	}
	return nil
}
