package oprules

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
)

// This file reads and evaluates expressions over the dims of inputs and the
// attributes of a node.

// An operand is a name in an expression: a dim, the rank, the number of
// elements or an element of an input, or an attribute.
type operand struct {
	symbol string // in the parsed expression
	kind   operandKind
	input  int
	name   string // of an attribute
	index  int    // of a dim or an element, or -1 in an attribute without one
	fixed  bool   // index counts
}

type operandKind uint8

const (
	dimOf operandKind = iota
	rankOf
	elementsOf
	valueOf
	attribute
)

// indexed finds x[1], x.value[0] and attr.k[-1] in a text. Brackets are not part
// of the language of dims, which reads x.i1 instead.
var indexed = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_.]*)\[\s*(-?)(\d{1,9})\s*\]`)

// expression reads an expression over the inputs of the rule.
func (r *rule) expression(text string) (*expression, error) {
	plain := indexed.ReplaceAllStringFunc(text, func(s string) string {
		m := indexed.FindStringSubmatch(s)
		sign := "p"
		if m[2] != "" {
			sign = "m"
		}
		return m[1] + ":" + sign + m[3]
	})
	d, err := dim.Parse(plain)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	e := &expression{dim: d}
	for _, symbol := range d.Symbols() {
		o, err := r.operand(symbol)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		e.names = append(e.names, o)
	}
	return e, nil
}

// operand finds out what a name of an expression means.
func (r *rule) operand(symbol string) (operand, error) {
	o := operand{symbol: symbol}
	name, index, fixed := strings.Cut(symbol, ":")
	if fixed {
		if len(index) < 2 || index[0] != 'p' && index[0] != 'm' {
			return o, fmt.Errorf("%q is no name", symbol)
		}
		n, err := strconv.Atoi(index[1:])
		if err != nil {
			return o, fmt.Errorf("%q is no name", symbol)
		}
		if o.index = n; index[0] == 'm' {
			o.index = -n
		}
		o.fixed = true
	}
	base, field, dotted := strings.Cut(name, ".")
	if base == "attr" {
		if o.kind, o.name = attribute, field; !dotted || field == "" {
			return o, fmt.Errorf("attr needs a name: attr.NAME")
		}
		return o, nil
	}
	var err error
	if o.input, err = r.input(base); err != nil {
		return o, err
	}
	switch {
	case !dotted && fixed:
		o.kind = dimOf
	case field == "rank" && !fixed:
		o.kind = rankOf
	case field == "elements" && !fixed:
		o.kind = elementsOf
	case field == "value":
		o.kind = valueOf
	default:
		return o, fmt.Errorf("%s: want %s[INDEX], %s.rank, %s.elements or %s.value[INDEX]", strings.Replace(symbol, ":", " ", 1), base, base, base, base)
	}
	return o, nil
}

// eval is the expression for one node, unknown where an operand is.
func (e *expression) eval(c *op.Call, r *rule) (dim.Dim, error) {
	means := make(map[string]dim.Dim, len(e.names))
	for _, o := range e.names {
		d, err := o.eval(c, r)
		if err != nil {
			return dim.Unknown(), err
		}
		if !d.IsKnown() {
			return d, nil
		}
		means[o.symbol] = d
	}
	return e.dim.Subst(means), nil
}

func (o *operand) eval(c *op.Call, r *rule) (dim.Dim, error) {
	s := c.Shape(o.input)
	switch o.kind {
	case dimOf:
		if !s.Ranked() {
			return dim.Unknown(), nil
		}
		if o.index >= s.Rank() || o.index < -s.Rank() {
			return dim.Unknown(), c.Errorf(op.CodeRank, "%s of shape %s has no axis %d", r.inputs[o.input], s, o.index)
		}
		return s.At(o.index), nil
	case rankOf:
		if !s.Ranked() {
			return dim.Unknown(), nil
		}
		return dim.Int(int64(s.Rank())), nil
	case elementsOf:
		return s.Elements(), nil
	case valueOf:
		return o.element(c)
	}
	return o.attribute(c, r)
}

// element is an element of an input; without an index its only one.
func (o *operand) element(c *op.Call) (dim.Dim, error) {
	elements, ok := c.Dims(o.input)
	if !ok {
		return dim.Unknown(), nil
	}
	i := o.index
	if i < 0 {
		i += len(elements)
	}
	if i < 0 || i >= len(elements) || !o.fixed && len(elements) != 1 {
		return dim.Unknown(), c.Errorf(op.CodeShape, "input %d has %d elements, none of them is meant by index %d", o.input, len(elements), o.index)
	}
	return elements[i], nil
}

func (o *operand) attribute(c *op.Call, r *rule) (dim.Dim, error) {
	a := c.Node.Attribute(o.name)
	if a == nil {
		if n, ok := r.defaults[o.name]; ok {
			return dim.Int(n), nil
		}
		return dim.Unknown(), c.Errorf(op.CodeAttribute, "the attribute %s is missing, and the rule has no default", o.name)
	}
	if !o.fixed {
		return dim.Int(a.Int), nil
	}
	i := o.index
	if i < 0 {
		i += len(a.Ints)
	}
	if i < 0 || i >= len(a.Ints) {
		return dim.Unknown(), c.Errorf(op.CodeAttribute, "the attribute %s has %d integers, none of them is %d", o.name, len(a.Ints), o.index)
	}
	return dim.Int(a.Ints[i]), nil
}

// A slice is several dims of an input in a row.
type slice struct {
	input    int
	from, to int
	toEnd    bool
}

var sliced = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\[\s*(-?\d{1,9})?\s*:\s*(-?\d{1,9})?\s*\]$`)

// slice reads x[1:-1]; ok is false where the text is none.
func (r *rule) slice(text string) (s *slice, ok bool, err error) {
	m := sliced.FindStringSubmatch(text)
	if m == nil {
		return nil, false, nil
	}
	s = &slice{toEnd: m[3] == ""}
	if s.input, err = r.input(m[1]); err != nil {
		return nil, true, fmt.Errorf("%q: %w", text, err)
	}
	s.from, _ = strconv.Atoi(m[2]) // at most nine digits, or none: 0
	s.to, _ = strconv.Atoi(m[3])
	return s, true, nil
}
