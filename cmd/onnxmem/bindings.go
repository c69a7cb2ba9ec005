package main

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// bindingFlags are the flags that every command shares for giving shapes and
// values to a model's inputs.
type bindingFlags struct {
	inputShapes []string
	dims        []string
	feeds       []string
}

func (b *bindingFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&b.inputShapes, "input-shapes", nil, "shape of an input, `NAME:DIMS`, such as image:1x3x224x224, image:[1,3,224,224] or image:batch,3,224,224; the name is optional when there is one input; repeatable")
	flags.StringArrayVar(&b.dims, "dim", nil, "size of a dynamic dimension, `NAME=N`, or an expression over others, such as total=past+1; repeatable")
	flags.StringArrayVar(&b.feeds, "feed", nil, "value of an input, `NAME=VALUE`: a .npy or .pb file, or a literal such as [1,2]; repeatable")
}

// files are the files that --feed names.
func (b *bindingFlags) files() []flagFile {
	var files []flagFile
	for _, s := range b.feeds {
		if _, text, ok := strings.Cut(s, "="); ok && isFeedFile(text) {
			files = append(files, flagFile{"feed", text})
		}
	}
	return files
}

// options turns the flags into inference options for one model.
func (b *bindingFlags) options(m *onnxgraph.Model) (shapeinfer.Options, error) {
	opts := shapeinfer.Options{
		Dims:        map[string]int64{},
		Ties:        map[string]dim.Dim{},
		InputShapes: map[string][]dim.Dim{},
		Feeds:       map[string]*tensor.Value{},
	}
	for _, s := range b.dims {
		name, text, ok := cutLast(s, "=")
		d, err := parseDim(text)
		if !ok || err != nil || name == "" {
			return opts, usagef("--dim %q: want NAME=N with N a number of at least 0, or an expression over other dims", s)
		}
		n, isInt := d.Int()
		if !isInt {
			if old, again := opts.Ties[name]; again && !dim.Equal(old, d) {
				return opts, usagef("--dim %s is given twice, as %s and %s", name, old, d)
			}
			opts.Ties[name] = d
			continue
		}
		if old, again := opts.Dims[name]; again && old != n {
			return opts, usagef("--dim %s is given twice, as %d and %d", name, old, n)
		}
		opts.Dims[name] = n
	}
	for _, s := range b.inputShapes {
		name, dims, err := parseInputShape(s, m)
		if err != nil {
			return opts, err
		}
		if old, again := opts.InputShapes[name]; again && !equalDims(old, dims) {
			return opts, usagef("--input-shapes gives %s two shapes", name)
		}
		opts.InputShapes[name] = dims
	}
	for _, s := range b.feeds {
		name, text, ok := strings.Cut(s, "=")
		if !ok {
			return opts, usagef("--feed %q: want NAME=VALUE", s)
		}
		v, err := parseFeed(name, text, m, opts)
		if err != nil {
			return opts, err
		}
		opts.Feeds[name] = v
	}
	return opts, nil
}

func equalDims(a, b []dim.Dim) bool {
	return tensor.MakeShape(a...).Equal(tensor.MakeShape(b...))
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}

// parseInputShape splits NAME:DIMS at the last colon, since names hold colons,
// and reads the dims: 1x3x224x224, [1,3,224,224] or 1,3,224,224, with names
// and expressions allowed in place of numbers.
func parseInputShape(s string, m *onnxgraph.Model) (name string, dims []dim.Dim, err error) {
	name, text, ok := cutLast(s, ":")
	if !ok {
		only := realInputs(m)
		if len(only) != 1 {
			return "", nil, usagef("--input-shapes %q: the model has %d inputs; give the name: NAME:DIMS", s, len(only))
		}
		name = only[0]
	}
	text = strings.TrimSpace(text)
	bracketed := strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]")
	if bracketed {
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	if text == "" {
		if bracketed {
			return name, []dim.Dim{}, nil
		}
		return "", nil, usagef("--input-shapes %q: no dims; write a scalar as NAME:[]", s)
	}
	for _, part := range splitDims(text, bracketed) {
		d, err := parseDim(part)
		if err != nil {
			return "", nil, usagef("--input-shapes %q: dim %q: %w", s, part, err)
		}
		dims = append(dims, d)
	}
	return name, dims, nil
}

// splitDims splits at commas outside parentheses, or at the letter x where the
// text is numbers and x only.
func splitDims(text string, bracketed bool) []string {
	if !bracketed && !strings.Contains(text, ",") && strings.Trim(text, "0123456789x") == "" {
		return strings.Split(text, "x")
	}
	var parts []string
	depth, start := 0, 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, text[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, text[start:])
}

func parseDim(s string) (dim.Dim, error) {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		if n < 0 {
			return dim.Dim{}, usagef("a size of %d is not possible", n)
		}
		return dim.Int(n), nil
	}
	return dim.Parse(s)
}

// realInputs names the inputs of the main graph that have no stored default.
func realInputs(m *onnxgraph.Model) []string {
	stored := map[string]bool{}
	for _, t := range m.Graph.Initializers {
		stored[t.Name] = true
	}
	var names []string
	for _, in := range m.Graph.Inputs {
		if !stored[in.Name] {
			names = append(names, in.Name)
		}
	}
	return names
}
