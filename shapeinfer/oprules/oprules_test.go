package oprules_test

import (
	"strings"
	"testing"
	"time"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/shapeinfer/oprules"
	"onnxmem/testdata/cost"
)

const upscale = `
operators:
  - name: my.domain::Upscale
    inputs: [x, weight, sizes]
    attributes: {factor: 2}
    outputs:
      - dtype: x
        dims: ["x[0]", "weight[0]", "x[-2]*attr.factor", "x[-1]*attr.factor + attr.pads[1]"]
      - dtype: int64
        dims: ["x[:2]", x.rank, "sizes.value[0]", "? <= x.elements"]
      - dtype: FLOAT16
        shape: [x, weight]
      - like: x
        view: x
    macs: x[0]*weight.elements*x[2]*x[3]
`

// custom is a model with one node of a domain that nobody knows.
func custom(options ...modeltest.NodeOption) *modeltest.Builder {
	options = append(options, modeltest.Domain("my.domain"))
	return modeltest.New(17).Opset("my.domain", 1).Input("x", onnxgraph.Float, "n", 3, "h", 20).
		InitZeros("w", onnxgraph.Float16, 8, 3, 1, 1).Init("s", []int64{2}, []int64{5, 6}).
		Node("Upscale", []string{"x", "w", "s"}, []string{"y", "i", "b", "v"}, options...).Output("y", "i", "b", "v")
}

func infer(t *testing.T, m *modeltest.Builder, rules string) *shapeinfer.Result {
	t.Helper()
	ops, err := oprules.Parse([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{Catalogue: catalogue.New().With(ops...)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRules applies one rule that uses all that rules have.
func TestRules(t *testing.T) {
	m := custom(modeltest.Ints("pads", 1, 7))
	r := infer(t, m, strings.Replace(upscale, "shape: [x, weight]", "shape: [x]", 1))
	for name, want := range map[string]string{
		"y": "FLOAT[n,8,2*h,47]", "i": "INT64[n,3,4,5,i_dim4]", "b": "FLOAT16[n,3,h,20]", "v": "FLOAT[n,3,h,20]",
	} {
		if fact, _ := r.Lookup(name); fact.Type.String() != want {
			t.Errorf("%s is %s, want %s", name, fact.Type, want)
		}
	}
	fact, _ := r.Lookup("i")
	if top := fact.Type.Shape.At(4).UpperExpr(); top.String() != "60*h*n" {
		t.Errorf("the open dim is at most %s, want 60*h*n", top)
	}
	if macs := r.Main.Nodes[0].MACs; !dim.Equal(macs, parsed(t, "480*h*n")) {
		t.Errorf("%s MACs, want 480*h*n", macs)
	}
	if len(r.Coverage.UnknownOps) != 0 || r.HasErrors() {
		t.Errorf("unknown operators %v, diagnostics %v", r.Coverage.UnknownOps, r.Diagnostics)
	}
	if views := r.Main.Nodes[0].Op.Views; len(views) != 1 || views[0].Output != 3 || views[0].Input != 0 {
		t.Errorf("views %v, want output 3 of input 0", views)
	}
	r = infer(t, custom(modeltest.Int("factor", 4), modeltest.Ints("pads", 1, 7)), upscale)
	for name, want := range map[string]string{"y": "FLOAT[n,8,4*h,87]", "b": "FLOAT16[8,3,h,20]"} {
		if fact, _ := r.Lookup(name); fact.Type.String() != want {
			t.Errorf("%s is %s, want %s", name, fact.Type, want)
		}
	}
	if r = infer(t, custom(), upscale); !r.HasErrors() {
		t.Error("a missing attribute without a default is no error")
	}
}

func parsed(t *testing.T, s string) dim.Dim {
	d, err := dim.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestParseRefuses: each mistake is an error that says where it is.
func TestParseRefuses(t *testing.T) {
	for mistake, want := range map[string][2]string{
		"a key that is not known":       {"  - name: my.domain::Upscale", "unknown field"},
		"a dim of no input":             {`"weight[0]"`, `no input is named "wait"`},
		"an index that is missing":      {`"x[0]"`, "want x[INDEX]"},
		"an element type that is none":  {"dtype: int64", "neither an element type nor an input"},
		"two ways to say the dims":      {"- like: x", "one of dims, like and shape"},
		"a view of no input":            {"view: x", "no input is named"},
		"no domain":                     {"my.domain::Upscale", "want domain::Operator"},
		"an input named twice":          {"[x, weight, sizes]", "no name of its own"},
		"an expression that is none":    {"macs: x[0]", "macs"},
		"operators of another type":     {"operators:", "operators"},
		"a bound that is no expression": {"? <= x.elements", "EXPRESSION"},
		"a key twice":                   {"    macs:", "already"},
	} {
		replaced := map[string]string{
			"a key that is not known":       "  - nam: a::B\n    name: my.domain::Upscale",
			"a dim of no input":             `"wait[0]"`,
			"an index that is missing":      "x",
			"an element type that is none":  "dtype: int65",
			"two ways to say the dims":      "- like: x\n        dims: []",
			"a view of no input":            "view: z",
			"no domain":                     "Upscale",
			"an input named twice":          "[x, x]",
			"an expression that is none":    "macs: x[0]*",
			"operators of another type":     "operators: 3\nothers:",
			"a bound that is no expression": "? > 3",
			"a key twice":                   "    macs: x[0]\n    macs:",
		}[mistake]
		text := strings.Replace(upscale, want[0], replaced, 1)
		if text == upscale {
			t.Fatalf("%s: nothing is replaced", mistake)
		}
		if _, err := oprules.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("%s: error %v, want one of %q", mistake, err, want[1])
		}
	}
	for _, text := range []string{"", "operators: []", upscale + "---" + upscale, strings.Repeat(" ", oprules.MaxBytes+1)} {
		if _, err := oprules.Parse([]byte(text)); err == nil {
			t.Errorf("%.20q is accepted", text)
		}
	}
}

// TestSkeleton: what is printed for the unknown operators of a model can be read
// again, and says what must be filled in.
func TestSkeleton(t *testing.T) {
	m := custom(modeltest.Int("factor", 4)).Node("No\u202eise\n", nil, []string{"z"}, modeltest.Domain("my.domain"))
	r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := oprules.Skeleton(r.UnknownNodes())
	for _, want := range []string{`name: "my.domain::Upscale"`, "in2", "factor", "TODO"} {
		if !strings.Contains(text, want) {
			t.Errorf("the skeleton lacks %q:\n%s", want, text)
		}
	}
	ops, err := oprules.Parse([]byte(text))
	if err != nil || len(ops) != 2 {
		t.Fatalf("%d operators, error %v, want 2:\n%s", len(ops), err, text)
	}
	if ops[1].Name != "No\u202eise\n" {
		t.Errorf("the second operator is %q", ops[1].Name)
	}
}

// FuzzParse: rules are accepted or refused in little time, and those that are
// accepted can be applied to a node.
func FuzzParse(f *testing.F) {
	f.Add([]byte(upscale))
	f.Add([]byte("operators: [{name: 'my.domain::Upscale', inputs: [x], outputs: [{like: x}]}]"))
	f.Add([]byte("a: &a [x, x]\nb: &b [*a, *a]\noperators: *b"))
	f.Add([]byte("operators: [{name: 'my.domain::Upscale', inputs: [x], outputs: [{dtype: x, dims: ['x[1:-1]', 'x.elements**8', '? <= x[0]']}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		took := cost.Processor(func() {
			ops, err := oprules.Parse(data)
			if err != nil {
				return
			}
			m := custom(modeltest.Ints("pads", 1, 7)).Model(t)
			if _, err := shapeinfer.Infer(m, shapeinfer.Options{Catalogue: catalogue.New().With(ops...)}); err != nil {
				t.Error(err)
			}
		})
		if took > 5*time.Second {
			t.Errorf("%v of the processor", took)
		}
	})
}
