package movement

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// Reshape: https://onnx.ai/onnx/operators/onnx__Reshape.html
// 1: the new shape is an attribute; 5: it is an input; 14: allowzero;
// 13, 19, 21, 23, 24, 25: more element types.
var reshapeOps = []op.Op{
	{Name: "Reshape", Versions: []int{1}, Infer: reshape1, Views: op.ViewOfFirst, Effect: op.Keeps, Roles: op.ThroughFirst},
	{Name: "Reshape", Versions: []int{5, 13, 14, 19, 21, 23, 24, 25}, Infer: reshape, Views: op.ViewOfFirst, Effect: op.Keeps, Roles: op.ThroughFirst},
}

func reshape1(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.Shape{})
	if !c.HasAttr("shape") {
		c.Unknown(0, "the attribute shape is missing")
		return nil
	}
	return reshapeTo(c, op.IntDims(c.IntList("shape")), false)
}

func reshape(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.Shape{})
	if s := c.Shape(1); s.Ranked() && s.Rank() != 1 {
		return c.Errorf(op.CodeRank, "the new shape must be a vector, not of rank %d", s.Rank())
	}
	target, ok := c.Dims(1)
	if !ok {
		n, ok := c.VectorLength(1)
		if !ok {
			c.Unknown(0, "the new shape is known only at run time")
			return nil
		}
		target = make([]dim.Dim, n)
	}
	return reshapeTo(c, target, c.Since >= 14 && c.Flag("allowzero", false))
}

// reshapeTo sets output 0 to the first input in a new shape. Of the target's
// elements, 0 copies the input's dim at the same place unless zeros are taken
// literally, and -1 stands for what the number of elements leaves.
func reshapeTo(c *op.Call, target []dim.Dim, literalZeros bool) error {
	in := c.Shape(0)
	r := reshaping{in: in, out: make([]dim.Dim, len(target)), rest: -1}
	if err := r.read(c, target, literalZeros); err != nil {
		return err
	}
	if err := r.solve(c); err != nil {
		return err
	}
	relabel(c, tensor.MakeShape(r.out...))
	return nil
}

// A reshaping is a new shape in the making.
type reshaping struct {
	in     tensor.Shape
	out    []dim.Dim
	copied []bool // of out, parallel to in: these cancel on both sides
	rest   int    // index of the dim that the element count decides, -1: none
	unsaid bool   // the target's element at rest is not -1 but unknown
	open   []int  // indices of the other dims of which nothing is known
}

// read takes over the elements that say themselves what they are.
func (r *reshaping) read(c *op.Call, target []dim.Dim, literalZeros bool) error {
	r.copied = make([]bool, len(target))
	zero := false
	for i, t := range target {
		n, isInt := t.Int()
		switch {
		case !t.IsKnown():
			r.open = append(r.open, i)
		case !isInt || n > 0:
			r.out[i] = t
		case n == 0 && literalZeros:
			zero = true
			r.out[i] = t
		case n == 0:
			if r.in.Ranked() && i >= r.in.Rank() {
				return c.Errorf(op.CodeShape, "element %d of the new shape copies a dim that the input, of rank %d, does not have", i, r.in.Rank())
			}
			r.out[i], r.copied[i] = r.in.At(i), true
		case n == -1 && r.rest < 0:
			r.rest = i
		case n == -1:
			return c.Errorf(op.CodeShape, "more than one element of the new shape is -1")
		default:
			return c.Errorf(op.CodeShape, "element %d of the new shape is %d", i, n)
		}
	}
	if zero && r.rest >= 0 {
		return c.Errorf(op.CodeShape, "the new shape holds both 0, taken literally, and -1")
	}
	if r.rest < 0 && len(r.open) > 0 {
		last := len(r.open) - 1
		r.rest, r.open, r.unsaid = r.open[last], r.open[:last], true
	}
	return nil
}

// solve finds the dim that the number of elements decides, or compares the
// numbers of elements when there is none. Dims that are copied count on both
// sides and are left out, so that they may be zero or unknown.
func (r *reshaping) solve(c *op.Call) error {
	before, written := r.elements()
	added := make([]dim.Dim, 0, len(r.open)+1)
	for _, i := range r.open {
		upper, lo := dim.Unknown(), int64(0)
		if low, ok := before.Lower(); ok && low >= 1 {
			upper, lo = before, 1
		}
		r.out[i] = c.NewSymbol(0, i, lo, upper)
		added = append(added, r.out[i])
	}
	after := dim.Product(append(added, written)...)
	have, haveInt := before.Int()
	want, wantInt := after.Int()
	if r.rest < 0 {
		shape := tensor.MakeShape(r.out...)
		if haveInt && wantInt && have != want && !(op.IsZeroDim(r.in.Elements()) && op.IsZeroDim(shape.Elements())) {
			return c.Errorf(op.CodeShape, "%s with %s elements can't become %s with %s",
				r.in, r.in.Elements(), shape, shape.Elements())
		}
		return nil
	}
	// Where there may be no elements at all, every dim beside a zero is
	// possible; only -1 is refused then.
	if r.unsaid && !op.IsPositive(before) && !op.IsPositive(after) || r.unsaid && !before.IsKnown() {
		r.out[r.rest] = c.NewSymbol(0, r.rest, 0, dim.Unknown())
		return nil
	}
	if !before.IsKnown() || !after.IsKnown() || op.IsZeroDim(after) {
		return nil
	}
	quotient, ok := dim.DivideExact(before, after)
	if !ok {
		if haveInt && wantInt {
			return c.Errorf(op.CodeShape, "%s does not divide into a shape %s", r.in, r.printed())
		}
		// Every run that does not fail divides without remainder.
		quotient = dim.Div(before, after)
	}
	r.out[r.rest] = quotient
	return nil
}

// elements counts those of the input and those of the dims known of the
// output, the copied dims left out on both sides.
func (r *reshaping) elements() (before, after dim.Dim) {
	ins := make([]dim.Dim, 0, len(r.in.Dims()))
	outs := make([]dim.Dim, 0, len(r.out))
	for i, d := range r.out {
		if d.IsKnown() && !r.copied[i] {
			outs = append(outs, d)
		}
	}
	after = dim.Product(outs...)
	if !r.in.Ranked() {
		return dim.Unknown(), after
	}
	for i, d := range r.in.Dims() {
		if i >= len(r.copied) || !r.copied[i] {
			ins = append(ins, d)
		}
	}
	return tensor.MakeShape(ins...).Elements(), after
}

// printed is the new shape with -1 where the element count decides.
func (r *reshaping) printed() tensor.Shape {
	out := slices.Clone(r.out)
	out[r.rest] = dim.Int(-1)
	return tensor.MakeShape(out...)
}
