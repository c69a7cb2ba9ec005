package oprules

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
)

// This file reads rules and checks them as far as that can be done without a
// node.

// MaxBytes bounds a file of rules.
const MaxBytes = 1 << 20

// A file is what the YAML holds.
type file struct {
	Operators []operator `yaml:"operators"`
}

// An operator is the rule for one operator.
type operator struct {
	Name       string           `yaml:"name"`       // domain::Operator
	Since      int              `yaml:"since"`      // first version of its domain; 1 when left out
	Inputs     []string         `yaml:"inputs"`     // names in expressions; a last one may end in ...
	Attributes map[string]int64 `yaml:"attributes"` // defaults
	Outputs    []output         `yaml:"outputs"`
	MACs       string           `yaml:"macs"`
}

// An output says what one output of the operator is.
type output struct {
	DType string   `yaml:"dtype"` // an element type, or the name of an input that has it
	Dims  []string `yaml:"dims"`
	Like  string   `yaml:"like"`  // an input of the same type and dims
	Shape []string `yaml:"shape"` // inputs that broadcast to the output's shape
	View  string   `yaml:"view"`  // an input whose storage the output shares
}

// Parse reads rules. Anything that is not known, or known twice, is an error.
func Parse(data []byte) ([]op.Op, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("operator rules: %d bytes, more than the limit of %d", len(data), MaxBytes)
	}
	var f file
	d := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("operator rules: %s", yaml.FormatError(err, false, true))
	}
	if err := d.Decode(&file{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("operator rules: one document is wanted")
	}
	if len(f.Operators) == 0 {
		return nil, fmt.Errorf("operator rules: the list operators is empty")
	}
	ops := make([]op.Op, 0, len(f.Operators))
	seen := map[string]bool{}
	for _, o := range f.Operators {
		entry, err := o.compile()
		if err == nil && seen[fmt.Sprint(entry.ID(), entry.Versions)] {
			err = fmt.Errorf("it is described twice")
		}
		if err != nil {
			return nil, fmt.Errorf("operator rules: operator %q: %w", o.Name, err)
		}
		seen[fmt.Sprint(entry.ID(), entry.Versions)] = true
		ops = append(ops, entry)
	}
	return ops, nil
}

// A rule is an operator whose expressions are read.
type rule struct {
	inputs   []string
	defaults map[string]int64
	outputs  []outputRule
	macs     *expression
}

// An outputRule is an output whose expressions are read.
type outputRule struct {
	dtype     onnxgraph.DType // Undefined: that of the input
	dtypeFrom int
	like      int // -1: none
	broadcast []int
	dims      []dimRule
}

// A dimRule is one dim, or several dims of an input.
type dimRule struct {
	expression *expression
	slice      *slice
	open       bool // only a run knows it; at most the expression, if there is one
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (o *operator) compile() (op.Op, error) {
	domain, name, ok := strings.Cut(o.Name, "::")
	if !ok || name == "" {
		return op.Op{}, fmt.Errorf("want domain::Operator")
	}
	since := max(o.Since, 1)
	if o.Since < 0 {
		return op.Op{}, fmt.Errorf("since is %d", o.Since)
	}
	r := &rule{inputs: o.Inputs, defaults: o.Attributes}
	for i, in := range o.Inputs {
		if !plainName.MatchString(in) || in == "attr" || slices.Contains(o.Inputs[:i], in) {
			return op.Op{}, fmt.Errorf("input %q is no name of its own", in)
		}
	}
	entry := op.Op{Domain: onnxgraph.CanonicalDomain(domain), Name: name, Versions: []int{since}, Infer: r.infer}
	for k, out := range o.Outputs {
		compiled, err := r.output(out)
		if err != nil {
			return op.Op{}, fmt.Errorf("output %d: %w", k, err)
		}
		r.outputs = append(r.outputs, compiled)
		if out.View != "" {
			i, err := r.input(out.View)
			if err != nil {
				return op.Op{}, fmt.Errorf("output %d: view: %w", k, err)
			}
			entry.Views = append(entry.Views, op.View{Output: k, Input: i})
		}
	}
	if len(r.outputs) == 0 {
		return op.Op{}, fmt.Errorf("it has no outputs")
	}
	if o.MACs != "" {
		e, err := r.expression(o.MACs)
		if err != nil {
			return op.Op{}, fmt.Errorf("macs: %w", err)
		}
		r.macs = e
		entry.MACs = r.countMACs
	}
	return entry, nil
}

// input finds an input by its name.
func (r *rule) input(name string) (int, error) {
	if i := slices.Index(r.inputs, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("no input is named %q", name)
}

func (r *rule) output(o output) (c outputRule, err error) {
	c.like = -1
	given := 0
	for _, is := range []bool{o.Dims != nil, o.Like != "", o.Shape != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return c, fmt.Errorf("want one of dims, like and shape")
	}
	if o.Like != "" {
		if c.like, err = r.input(o.Like); err != nil {
			return c, fmt.Errorf("like: %w", err)
		}
		c.dtypeFrom = c.like
	}
	switch dtype, known := onnxgraph.ParseDType(strings.ToUpper(o.DType)); {
	case o.DType == "" && o.Like != "":
	case slices.Contains(r.inputs, o.DType):
		c.dtypeFrom = slices.Index(r.inputs, o.DType)
	case known && dtype.Valid():
		c.dtype = dtype
	default:
		return c, fmt.Errorf("dtype %q is neither an element type nor an input", o.DType)
	}
	for _, name := range o.Shape {
		i, err := r.input(name)
		if err != nil {
			return c, fmt.Errorf("shape: %w", err)
		}
		c.broadcast = append(c.broadcast, i)
	}
	for _, text := range o.Dims {
		d, err := r.dim(text)
		if err != nil {
			return c, fmt.Errorf("dims: %w", err)
		}
		c.dims = append(c.dims, d)
	}
	return c, nil
}

func (r *rule) dim(text string) (dimRule, error) {
	text = strings.TrimSpace(text)
	if rest, open := strings.CutPrefix(text, "?"); open {
		rest = strings.TrimSpace(rest)
		if rest == "" {
			return dimRule{open: true}, nil
		}
		bound, ok := strings.CutPrefix(rest, "<=")
		if !ok {
			return dimRule{}, fmt.Errorf("%q: want ? or ? <= EXPRESSION", text)
		}
		e, err := r.expression(bound)
		return dimRule{open: true, expression: e}, err
	}
	if s, ok, err := r.slice(text); ok || err != nil {
		return dimRule{slice: s}, err
	}
	e, err := r.expression(text)
	return dimRule{expression: e}, err
}

// An expression over what a node gives.
type expression struct {
	dim   dim.Dim
	names []operand // of its symbols
}
