package schema

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"onnxmem/onnxgraph"
)

// A Schema is the declaration of one operator version.
type Schema struct {
	Domain, Name string
	Since        int
	MinInputs    int
	MaxInputs    int
	MinOutputs   int
	MaxOutputs   int
	Inputs       []Formal
	Outputs      []Formal
	Attributes   map[string]Attribute
	// Function says that the standard defines the operator by a body of other
	// operators.
	Function   bool
	Deprecated bool
	sets       map[string]typeSet // by type variable or written-out type
}

// A Formal is a declared input or output.
type Formal struct {
	Name          string
	Type          string // a type variable such as T, or a written-out type
	Optional      bool
	Variadic      bool // takes the rest
	Heterogeneous bool // variadic, of types that may differ
}

// An Attribute is a declared attribute.
type Attribute struct {
	Type     onnxgraph.AttributeType
	Required bool
}

//go:embed table.txt
var table string

type key struct {
	domain, name string
	since        int
}

// lines finds the line of each operator version without parsing the rest of
// it: a model uses few of them.
var lines = sync.OnceValue(func() map[key]string {
	m := make(map[key]string, 1024)
	for rest := table; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		domain, tail, _ := strings.Cut(line, "|")
		name, tail, _ := strings.Cut(tail, "|")
		since, tail, ok := strings.Cut(tail, "|")
		if v, err := strconv.Atoi(since); ok && err == nil {
			m[key{domain, name, v}] = tail
		}
	}
	return m
})

// newest is the last version of each domain that is declared.
var newest = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for k := range lines() {
		m[k.domain] = max(m[k.domain], k.since)
	}
	return m
})

// Newest returns the newest version of a domain at which an operator of it
// was declared or changed; 0 for a domain that is not known.
func Newest(domain string) int { return newest()[domain] }

// Count returns how many operators of a domain are declared, and how many
// versions of them in all.
func Count(domain string) (operators, versions int) {
	names := map[string]bool{}
	for k := range lines() {
		if k.domain == domain {
			names[k.name] = true
			versions++
		}
	}
	return len(names), versions
}

// parsed remembers the schemas that were asked for: they never change.
var parsed sync.Map // key to *Schema

// Find returns the declaration of an operator version; nil when there is none.
// The default domain has the empty name. Schemas are shared: callers must not
// change them.
func Find(domain, name string, since int) *Schema {
	k := key{domain, name, since}
	if s, ok := parsed.Load(k); ok {
		return s.(*Schema)
	}
	line, ok := lines()[k]
	if !ok {
		return nil
	}
	s, _ := parsed.LoadOrStore(k, parse(domain, name, since, line))
	return s.(*Schema)
}

// parse reads the fields of a line after the version: arity, flags, inputs,
// outputs, attributes, type constraints.
func parse(domain, name string, since int, line string) *Schema {
	s := &Schema{Domain: domain, Name: name, Since: since, sets: map[string]typeSet{}}
	f := strings.Split(line, "|")
	arity := strings.Split(f[0], ",")
	for i, p := range []*int{&s.MinInputs, &s.MaxInputs, &s.MinOutputs, &s.MaxOutputs} {
		*p, _ = strconv.Atoi(arity[i])
	}
	s.Function = strings.Contains(f[1], "f")
	s.Deprecated = strings.Contains(f[1], "d")
	s.Inputs, s.Outputs = parseFormals(f[2]), parseFormals(f[3])
	s.Attributes = parseAttributes(f[4])
	for _, constraint := range fields(f[5]) {
		variable, types, _ := strings.Cut(constraint, "=")
		s.sets[variable] = parseTypes(types)
	}
	for _, formal := range slices.Concat(s.Inputs, s.Outputs) {
		if _, ok := s.sets[formal.Type]; !ok {
			s.sets[formal.Type] = parseTypes(formal.Type)
		}
	}
	return s
}

func fields(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ";")
}

// parseFormals reads name:type:flags, flags being o(ptional), v(ariadic) and
// h(eterogeneous).
func parseFormals(s string) []Formal {
	var list []Formal
	for _, item := range fields(s) {
		p := strings.Split(item, ":")
		list = append(list, Formal{p[0], p[1], strings.Contains(p[2], "o"), strings.Contains(p[2], "v"), strings.Contains(p[2], "h")})
	}
	return list
}

var attributeTypes = map[string]onnxgraph.AttributeType{
	"FLOAT": onnxgraph.AttributeFloat, "INT": onnxgraph.AttributeInt, "STRING": onnxgraph.AttributeString,
	"TENSOR": onnxgraph.AttributeTensor, "GRAPH": onnxgraph.AttributeGraph, "SPARSE_TENSOR": onnxgraph.AttributeSparseTensor,
	"TYPE_PROTO": onnxgraph.AttributeTypeProto, "FLOATS": onnxgraph.AttributeFloats, "INTS": onnxgraph.AttributeInts,
	"STRINGS": onnxgraph.AttributeStrings, "TENSORS": onnxgraph.AttributeTensors, "GRAPHS": onnxgraph.AttributeGraphs,
	"SPARSE_TENSORS": onnxgraph.AttributeSparseTensors, "TYPE_PROTOS": onnxgraph.AttributeTypeProtos,
}

// parseAttributes reads name:TYPE or name:TYPE:r for a required one.
func parseAttributes(s string) map[string]Attribute {
	m := map[string]Attribute{}
	for _, item := range fields(s) {
		p := strings.Split(item, ":")
		m[p[0]] = Attribute{attributeTypes[p[1]], len(p) > 2}
	}
	return m
}
