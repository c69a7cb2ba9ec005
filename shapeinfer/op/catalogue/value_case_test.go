package catalogue_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/shapeinfer/tensor"
)

// A valueCase is one node with known elements and what the operator's text
// makes of them. Values are written INT64[n; 3; -1], a scalar INT64(7); ? is an
// unknown element, and a name a symbol of at least 1. Texts stand in quotes.
type valueCase struct {
	clause string
	opset  int64
	op     string
	inputs []string // "" is left out; "?" has a type of unknown shape
	attrs  []*onnxgraph.Attribute
	want   string // "" expects no elements
}

func (v valueCase) run(t *testing.T) {
	o, since := catalogue.New().Find("", v.op, v.opset)
	if o == nil {
		t.Fatal("no such operator")
	}
	c := &op.Call{Node: &onnxgraph.Node{OpType: v.op, Attributes: v.attrs}, Op: o, Since: since, Opset: v.opset, Engine: noEngine{}, Outputs: make([]tensor.Fact, 2)}
	for _, in := range v.inputs {
		var fact *tensor.Fact
		if in != "" {
			fact = &tensor.Fact{Type: tensor.Of(onnxgraph.Int64, tensor.Shape{})}
			if in != "?" {
				fact.Value = parseValue(t, in)
				fact.Type = fact.Value.Type()
			}
		}
		c.Inputs = append(c.Inputs, fact)
	}
	if err := o.Infer(c); err != nil {
		t.Fatal(err)
	}
	got := c.Outputs[0].Value
	if v.want == "" {
		if got != nil {
			t.Errorf("got %s, want no elements", printValue(got))
		}
		return
	}
	want := parseValue(t, v.want)
	if got == nil || !sameValue(got, want) {
		t.Errorf("got %s, want %s", printValue(got), v.want)
	}
	if got != nil && !c.Outputs[0].Type.Shape.Equal(got.Shape()) {
		t.Errorf("the type is %s and the value has the shape %s", c.Outputs[0].Type, got.Shape())
	}
}

func parseValue(t *testing.T, text string) *tensor.Value {
	name, list, isVector := strings.Cut(text, "[")
	if !isVector {
		name, list, _ = strings.Cut(text, "(")
		list = strings.TrimSuffix(list, ")")
	}
	list = strings.TrimSuffix(list, "]")
	d, ok := onnxgraph.ParseDType(name)
	if !ok {
		t.Fatalf("no element type in %q", text)
	}
	v := &tensor.Value{DType: d}
	if list != "" {
		for _, element := range strings.Split(list, "; ") {
			v.Elems = append(v.Elems, parseScalar(t, element))
		}
	}
	if isVector {
		v.Dims = []int64{int64(len(v.Elems))}
	}
	return v
}

func parseScalar(t *testing.T, text string) tensor.Scalar {
	if text == "?" {
		return tensor.Scalar{}
	}
	if quoted, ok := strings.CutPrefix(text, "'"); ok {
		return tensor.Text(strings.TrimSuffix(quoted, "'"))
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && text != "-0" {
		return tensor.Int(n)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return tensor.Float(f)
	}
	return tensor.Number(parse(t, text))
}

func sameValue(a, b *tensor.Value) bool {
	if a.DType != b.DType || !a.Shape().Equal(b.Shape()) {
		return false
	}
	for i, x := range a.Elems {
		y := b.Elems[i]
		same := x.IsKnown() == y.IsKnown() && x.IsText == y.IsText && x.Text == y.Text && x.IsFloat == y.IsFloat
		switch {
		case !same:
			return false
		case x.IsFloat:
			if x.Float != y.Float && !(math.IsNaN(x.Float) && math.IsNaN(y.Float)) {
				return false
			}
		case x.Num.IsKnown() && !dim.Equal(x.Num, y.Num):
			return false
		}
	}
	return true
}

func printValue(v *tensor.Value) string {
	if v == nil {
		return "nothing"
	}
	var elements []string
	for _, x := range v.Elems {
		switch {
		case !x.IsKnown():
			elements = append(elements, "?")
		case x.IsText:
			elements = append(elements, "'"+x.Text+"'")
		case x.IsFloat:
			elements = append(elements, fmt.Sprint(x.Float))
		default:
			elements = append(elements, x.Num.String())
		}
	}
	return fmt.Sprintf("%s%d[%s]", v.DType, v.Dims, strings.Join(elements, "; "))
}

func runValues(t *testing.T, cases []valueCase) {
	for _, v := range cases {
		t.Run(v.op+" "+v.clause, v.run)
	}
}

func intAttr(name string, v int64) *onnxgraph.Attribute {
	return &onnxgraph.Attribute{Name: name, Type: onnxgraph.AttributeInt, Int: v}
}

func floatAttr(name string, v float32) *onnxgraph.Attribute {
	return &onnxgraph.Attribute{Name: name, Type: onnxgraph.AttributeFloat, Float: v}
}

func textAttr(name, v string) *onnxgraph.Attribute {
	return &onnxgraph.Attribute{Name: name, Type: onnxgraph.AttributeString, String: v}
}

// attribute shortens the tables.
type attribute = onnxgraph.Attribute

func list(as ...*onnxgraph.Attribute) []*onnxgraph.Attribute { return as }

// noEngine knows nothing but what the facts say.
type noEngine struct{ op.Engine }

func (noEngine) Value(int) *tensor.Value                               { return nil }
func (noEngine) SettleDim(slot, axis int, size int64, why string) bool { return false }
func (noEngine) NewSymbol(o, axis int, lo int64, upper dim.Dim) dim.Dim {
	return dim.DataDependent(fmt.Sprintf("fresh%d_%d", o, axis), lo, upper)
}
