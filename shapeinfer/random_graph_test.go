package shapeinfer_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
)

// randomSymbols are the open dims of random models and their sizes.
var randomSymbols = map[string]int64{"a": 2, "b": 3, "c": 4, "one": 1}

// A pooled value can be read by the nodes of a random graph.
type pooled struct {
	name  string
	dtype onnxgraph.DType // what it probably is
}

// A grower makes a random model of operators of the catalogue: their inputs
// and attributes are of the declared types more often than not, and otherwise
// anything.
type grower struct {
	rnd     *rand.Rand
	model   *modeltest.Builder
	schemas []corpus.Schema // in force
	pool    []pooled
	made    int
	depth   int
	spatial int     // axes of the attributes of the present node
	shapes  [][]any // of the inputs so far
}

// randomOpsets are versions of the default domain at which much changed.
var randomOpsets = []int64{1, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}

// allSchemas are the operators to draw from.
var allSchemas = sync.OnceValue(func() []corpus.Schema {
	root, err := corpus.FindRoot()
	if err != nil {
		panic(err)
	}
	var all []corpus.Schema
	for _, list := range []string{corpus.ONNXSchemas, corpus.ContribSchemas} {
		schemas, err := corpus.ReadSchemas(root, list)
		if err != nil {
			panic(err)
		}
		all = append(all, schemas...)
	}
	return all
})

// inForce are the schemas of the newest versions up to an opset of the default
// domain; the others' newest ones.
var inForce = func() func(opset int64) []corpus.Schema {
	var known sync.Map
	return func(opset int64) []corpus.Schema {
		if s, ok := known.Load(opset); ok {
			return s.([]corpus.Schema)
		}
		newest := map[string]corpus.Schema{}
		for _, s := range allSchemas() {
			key := s.Domain + "::" + s.Name
			if old, ok := newest[key]; (!ok || s.Since > old.Since) && (s.Domain != "" || int64(s.Since) <= opset) {
				newest[key] = s
			}
		}
		var list []corpus.Schema
		for _, s := range newest {
			list = append(list, s)
		}
		slices.SortFunc(list, func(a, b corpus.Schema) int {
			return strings.Compare(a.Domain+"::"+a.Name, b.Domain+"::"+b.Name)
		})
		known.Store(opset, list)
		return list
	}
}()

// randomModel is a model made from a seed. only, when it is not empty, names
// the operators of its nodes.
func randomModel(seed uint64, only ...string) []byte {
	rnd := rand.New(rand.NewPCG(seed, 1))
	opset := randomOpsets[rnd.IntN(len(randomOpsets))]
	g := grower{rnd: rnd, model: modeltest.New(opset), schemas: inForce(opset)}
	if len(only) > 0 {
		g.schemas = slices.DeleteFunc(slices.Clone(g.schemas), func(s corpus.Schema) bool { return !slices.Contains(only, s.Name) })
	}
	for _, domain := range []string{"com.microsoft", "ai.onnx.ml", "ai.onnx.preview.training", "ai.onnx.preview", "com.microsoft.nchwc", "com.ms.internal.nhwc"} {
		g.model.Opset(domain, 100)
	}
	for range 2 + rnd.IntN(4) {
		g.input()
	}
	for range 1 + rnd.IntN(4) {
		g.constant()
	}
	if len(g.schemas) == 0 {
		return g.model.Bytes()
	}
	for range 2 + rnd.IntN(8) {
		saved, pool := *g.model, len(g.pool)
		g.node(g.model, g.schemas[rnd.IntN(len(g.schemas))])
		if g.chance(95) && !good(g.model.Bytes()) { // else nearly every model is wrong
			*g.model, g.pool = saved, g.pool[:pool]
		}
	}
	return g.model.Bytes()
}

// good reports whether a model is without errors once its symbols are bound.
func good(file []byte) bool {
	_, bound, why := bothWays(file)
	return why != "" || bound != nil && !bound.HasErrors()
}

func (g *grower) chance(percent int) bool { return g.rnd.IntN(100) < percent }

func pick[T any](g *grower, list ...T) T { return list[g.rnd.IntN(len(list))] }

func (g *grower) name() string {
	g.made++
	return fmt.Sprintf("v%d", g.made)
}

// dims are those of an input, some of them symbols.
func (g *grower) dims() []any {
	if len(g.shapes) > 0 && g.chance(50) { // so that operands fit
		dims := slices.Clone(g.shapes[g.rnd.IntN(len(g.shapes))])
		if len(dims) > 0 && g.chance(30) {
			dims[g.rnd.IntN(len(dims))] = pick[any](g, 1, "a", 4)
		}
		return dims
	}
	dims := make([]any, pick(g, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5))
	for i := range dims {
		if g.chance(45) {
			dims[i] = pick(g, "a", "b", "c", "a", "b", "one")
		} else {
			dims[i] = pick(g, 1, 2, 3, 4, 4, 6, 8, 12)
		}
	}
	return dims
}

func (g *grower) input() {
	dtype := pick(g, onnxgraph.Float, onnxgraph.Float, onnxgraph.Float, onnxgraph.Float, onnxgraph.Int64, onnxgraph.Int32, onnxgraph.Bool, onnxgraph.Uint8, onnxgraph.Float16, onnxgraph.String)
	name := g.name()
	dims := g.dims()
	g.shapes = append(g.shapes, dims)
	g.model.Input(name, dtype, dims...)
	g.pool = append(g.pool, pooled{name, dtype})
}

// constant stores a small tensor, such as axes, pads, a shape or scales.
func (g *grower) constant() {
	name := g.name()
	n := pick(g, 0, 1, 1, 2, 3, 4, 4, 8)
	dims := []int64{int64(n)}
	if n == 1 && g.chance(50) {
		dims = nil
	}
	p := pooled{name: name, dtype: onnxgraph.Int64}
	switch g.rnd.IntN(4) {
	case 0:
		list := make([]float32, n)
		for i := range list {
			list[i] = pick[float32](g, 0.5, 1, 2, 2.5, 0, -1, 0.3)
		}
		g.model.Init(name, dims, list)
		p.dtype = onnxgraph.Float
	default:
		list := make([]int64, n)
		for i := range list {
			list[i] = g.small()
		}
		g.model.Init(name, dims, list)
	}
	g.pool = append(g.pool, p)
}

func (g *grower) small() int64 {
	return pick[int64](g, -2, -1, -1, 0, 0, 1, 1, 1, 2, 2, 3, 4, 6, 8, 12)
}

// node adds a node of an operator to the main graph or a body.
func (g *grower) node(b *modeltest.Builder, s corpus.Schema) {
	if s.Domain == "" && g.depth < 2 && g.chance(80) {
		switch s.Name {
		case "If":
			g.branches(b)
			return
		case "Loop":
			g.loop(b)
			return
		case "Scan":
			g.scan(b)
			return
		}
	}
	g.spatial = pick(g, 1, 2, 2, 2, 3)
	var inputs []string
	for _, in := range s.Inputs {
		times := 1
		switch in.Option {
		case "Optional":
			if g.chance(45) {
				inputs = append(inputs, "")
				continue
			}
		case "Variadic":
			times = 1 + g.rnd.IntN(3)
		}
		for range times {
			inputs = append(inputs, g.value(s, in.Type))
		}
	}
	for len(inputs) > 0 && inputs[len(inputs)-1] == "" {
		inputs = inputs[:len(inputs)-1]
	}
	var options []modeltest.NodeOption
	names := make([]string, 0, len(s.Attributes))
	for name := range s.Attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		a := s.Attributes[name]
		if a.Required && g.chance(97) || !a.Required && g.chance(35) {
			if o := g.attribute(name, a.Type); o != nil {
				options = append(options, o)
			}
		}
	}
	if s.Domain != "" {
		options = append(options, modeltest.Domain(s.Domain))
	}
	outs := max(s.Arity[2], min(s.Arity[3], 1+g.rnd.IntN(3)))
	var outputs []string
	for o := range outs {
		name := g.name()
		outputs = append(outputs, name)
		defer func() { // readable after the node, not by its own bodies
			g.pool = append(g.pool, pooled{name, g.outputType(s, o, inputs)})
		}()
	}
	b.Node(s.Name, inputs, outputs, options...)
}

// outputType is a guess at the element type of an output: that of the first
// input where they share a type variable.
func (g *grower) outputType(s corpus.Schema, o int, inputs []string) onnxgraph.DType {
	o = min(o, len(s.Outputs)-1)
	if o < 0 {
		return onnxgraph.Float
	}
	for i, in := range s.Inputs {
		if in.Type == s.Outputs[o].Type && i < len(inputs) {
			for _, p := range g.pool {
				if p.name == inputs[i] {
					return p.dtype
				}
			}
		}
	}
	if types := s.Types[s.Outputs[o].Type]; len(types) == 0 && strings.Contains(s.Outputs[o].Type, "int64") {
		return onnxgraph.Int64
	}
	return onnxgraph.Float
}

// value picks a value for an input of a declared type.
func (g *grower) value(s corpus.Schema, typ string) string {
	allowed := s.Types[typ]
	if allowed == nil {
		allowed = []string{typ}
	}
	for range 8 {
		p := g.pool[g.rnd.IntN(len(g.pool))]
		if g.chance(4) || slices.Contains(allowed, "tensor("+schemaNames[p.dtype]+")") {
			return p.name
		}
	}
	return g.pool[g.rnd.IntN(len(g.pool))].name
}

// schemaNames are the names of element types in schemas.
var schemaNames = map[onnxgraph.DType]string{
	onnxgraph.Float: "float", onnxgraph.Int64: "int64", onnxgraph.Int32: "int32", onnxgraph.Bool: "bool",
	onnxgraph.Uint8: "uint8", onnxgraph.Float16: "float16", onnxgraph.String: "string",
}

// words are values that string attributes may have.
var words = []string{
	"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", "constant", "reflect", "edge", "wrap", "nearest", "linear", "cubic",
	"asymmetric", "half_pixel", "tf_crop_and_resize", "forward", "reverse", "bidirectional", "DCR", "CRD", "floor", "none", "mean", "sum",
	"ij,jk->ik", "...ij->...ji", "bij,bjk", "i,i->", "ii->i", "not_larger", "not_smaller", "stretch", "",
}

func (g *grower) attribute(name, typ string) modeltest.NodeOption {
	switch typ {
	case "INT":
		switch name {
		case "to", "dtype", "output_dtype", "saturate", "stash_type":
			return modeltest.Int(name, pick[int64](g, 1, 1, 6, 7, 7, 9, 10, 11, 16, 0, 99))
		}
		return modeltest.Int(name, g.small())
	case "INTS":
		if list := g.spatialList(name); list != nil && g.chance(85) {
			return modeltest.Ints(name, list...)
		}
		list := make([]int64, pick(g, 0, 1, 2, 2, 3, 4, 4, 6))
		for i := range list {
			list[i] = g.small()
		}
		if name == "perm" || name == "axes" {
			for i := range list {
				list[i] = int64(i)
			}
			g.rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		return modeltest.Ints(name, list...)
	case "FLOAT":
		return modeltest.Float(name, pick[float32](g, 0, 0.5, 1, 2, -1))
	case "FLOATS":
		return modeltest.Floats(name, pick(g, nil, []float32{1}, []float32{0.5, 2}, []float32{1, 1, 2, 2.5})...)
	case "STRING":
		return modeltest.String(name, pick(g, words...))
	case "STRINGS":
		return modeltest.Strings(name, pick(g, nil, []string{"Tanh"}, []string{"Sigmoid", "Tanh", "Tanh"}, []string{"a", "b"})...)
	case "TENSOR":
		list := []int64{g.small(), g.small(), g.small()}[:pick(g, 1, 2, 3)]
		return modeltest.TensorAttr(name, modeltest.NewTensor("", []int64{int64(len(list))}, list))
	case "GRAPH":
		return modeltest.Subgraph(name, g.body())
	case "TYPE_PROTO":
		return modeltest.TypeAttr(name, modeltest.TensorType(onnxgraph.Float, g.dims()...))
	}
	return nil
}

// spatialList is a list with as many numbers as the operators that slide
// windows want; nil for other attributes.
func (g *grower) spatialList(name string) []int64 {
	n, values := g.spatial, []int64{1, 1, 2, 3}
	switch name {
	case "kernel_shape", "strides", "dilations":
	case "pads":
		n, values = 2*n, []int64{0, 0, 1, 2}
	case "output_padding":
		values = []int64{0, 0, 1}
	case "output_shape":
		values = []int64{5, 6, 9}
	default:
		return nil
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = pick(g, values...)
	}
	return list
}

// scalar stores a number or a truth and returns its name.
func (g *grower) scalar(value any) string {
	name := g.name()
	g.model.Init(name, nil, value)
	return name
}

// ofType picks a value that probably has that element type.
func (g *grower) ofType(d onnxgraph.DType) string {
	for range 12 {
		if p := g.pool[g.rnd.IntN(len(g.pool))]; p.dtype == d {
			return p.name
		}
	}
	return g.pool[g.rnd.IntN(len(g.pool))].name
}

// inside grows a body with the given inputs and returns what it can give.
func (g *grower) inside(b *modeltest.Builder, inputs []pooled) []string {
	outside := len(g.pool)
	g.depth++
	for _, p := range inputs {
		b.Inputs(p.name)
		g.pool = append(g.pool, p)
	}
	for range g.rnd.IntN(3) {
		g.node(b, g.schemas[g.rnd.IntN(len(g.schemas))])
	}
	var made []string
	for _, p := range g.pool[outside:] {
		made = append(made, p.name)
	}
	if len(made) == 0 {
		name := g.name()
		b.Node("Relu", []string{g.ofType(onnxgraph.Float)}, []string{name})
		made = append(made, name)
	}
	g.depth--
	g.pool = g.pool[:outside]
	return made
}

func (g *grower) finish(b *modeltest.Builder, op string, inputs []string, outs int, options ...modeltest.NodeOption) {
	var outputs []string
	for range outs {
		outputs = append(outputs, g.name())
	}
	b.Node(op, inputs, outputs, options...)
	for _, name := range outputs {
		g.pool = append(g.pool, pooled{name, onnxgraph.Float})
	}
}

// branches adds an If whose branches give one value each.
func (g *grower) branches(b *modeltest.Builder) {
	condition := g.ofType(onnxgraph.Bool)
	if g.chance(60) {
		condition = g.scalar([]bool{g.chance(50)})
	}
	var graphs [2]*modeltest.Builder
	for i := range graphs {
		graphs[i] = modeltest.Body()
		made := g.inside(graphs[i], nil)
		graphs[i].Output(pick(g, made...))
	}
	g.finish(b, "If", []string{condition}, 1, modeltest.Subgraph("then_branch", graphs[0]), modeltest.Subgraph("else_branch", graphs[1]))
}

// loop adds a Loop with up to two states and up to one scan output.
func (g *grower) loop(b *modeltest.Builder) {
	inputs := []string{g.scalar([]int64{int64(g.rnd.IntN(4))}), pick(g, "", g.scalar([]bool{true}))}
	body := modeltest.Body()
	formal := []pooled{{g.name(), onnxgraph.Int64}, {g.name(), onnxgraph.Bool}}
	states := g.rnd.IntN(3)
	for range states {
		p := g.pool[g.rnd.IntN(len(g.pool))]
		inputs = append(inputs, p.name)
		formal = append(formal, pooled{g.name(), p.dtype})
	}
	made := g.inside(body, formal)
	again := g.name()
	body.Node("Identity", []string{formal[1].name}, []string{again}).Output(again)
	for i := range states {
		body.Output(pick(g, formal[2+i].name, made[len(made)-1], pick(g, made...)))
	}
	scans := g.rnd.IntN(2)
	if states == 0 {
		scans = 1
	}
	for range scans {
		body.Output(pick(g, made...))
	}
	g.finish(b, "Loop", inputs, states+scans, modeltest.Subgraph("body", body))
}

// scan adds a Scan over one input with up to one state.
func (g *grower) scan(b *modeltest.Builder) {
	var inputs []string
	var formal []pooled
	states := g.rnd.IntN(2)
	for range states + 1 {
		p := g.pool[g.rnd.IntN(len(g.pool))]
		inputs = append(inputs, p.name)
		formal = append(formal, pooled{g.name(), p.dtype})
	}
	body := modeltest.Body()
	made := g.inside(body, formal)
	for i := range states {
		body.Output(formal[i].name)
	}
	body.Output(pick(g, made...))
	g.finish(b, "Scan", inputs, states+1, modeltest.Subgraph("body", body), modeltest.Int("num_scan_inputs", 1))
}

// body is a graph for a Loop, Scan, If or SequenceMap: some inputs, of which
// the first two may be a loop's, a node or two, and some outputs.
func (g *grower) body() *modeltest.Builder {
	b := modeltest.Body()
	if g.depth > 1 {
		return b.Output(g.pool[g.rnd.IntN(len(g.pool))].name)
	}
	g.depth++
	outside := len(g.pool)
	for range g.rnd.IntN(5) {
		name := g.name()
		b.Inputs(name)
		g.pool = append(g.pool, pooled{name, pick(g, onnxgraph.Float, onnxgraph.Int64, onnxgraph.Bool)})
	}
	for range g.rnd.IntN(3) {
		g.node(b, g.schemas[g.rnd.IntN(len(g.schemas))])
	}
	for range 1 + g.rnd.IntN(3) {
		b.Output(g.pool[len(g.pool)-1-g.rnd.IntN(min(len(g.pool), 5))].name)
	}
	g.pool = g.pool[:outside]
	g.depth--
	return b
}

// checkRandom infers a random model with open symbols and with bound ones.
// compared says that the model was good, so that the two were compared.
func checkRandom(t *testing.T, seed uint64, only ...string) (compared bool) {
	t.Helper()
	file := randomModel(seed, only...)
	open, bound, why := bothWays(file)
	if why != "" {
		t.Errorf("seed %d%v: %s\n%s", seed, only, why, listing(open))
	}
	return bound != nil && !bound.HasErrors() && len(bound.Main.Nodes) > 0
}

// TestRandomGraphs: no random graph of operators makes inference panic, give a
// negative dim, or say with open symbols what is not so when they are bound.
func TestRandomGraphs(t *testing.T) {
	compared := 0
	for seed := range uint64(600) {
		if checkRandom(t, seed) {
			compared++
		}
	}
	if compared < 300 {
		t.Errorf("only %d models are without errors: hardly anything was compared", compared)
	}
}

// TestRandomNodes: the same for each operator by itself, so that none is left
// out.
func TestRandomNodes(t *testing.T) {
	names := map[string]bool{}
	for _, s := range allSchemas() {
		names[s.Name] = true
	}
	never := 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		compared := 0
		for seed := range uint64(3) {
			if checkRandom(t, seed, name) {
				compared++
			}
		}
		if compared == 0 {
			never++
		}
	}
	if never > len(names)*2/3 {
		t.Errorf("%d of %d operators never had a model without errors", never, len(names))
	}
}

// FuzzRandomGraphs goes on where TestRandomGraphs ends.
func FuzzRandomGraphs(f *testing.F) {
	f.Add(uint64(1 << 32))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandom(t, seed) })
}

// bothWays infers a model with open symbols and with all of them bound, and
// says what is wrong about the results.
func bothWays(file []byte) (open, bound *shapeinfer.Result, why string) {
	m, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, nil, err.Error()
	}
	open, err = shapeinfer.Infer(m, shapeinfer.Options{})
	if err != nil {
		return nil, nil, err.Error()
	}
	if why := sound(open); why != "" {
		return open, nil, why
	}
	bind := map[string]int64{}
	for _, name := range open.FreeSymbols {
		bind[name] = randomSymbols[name]
	}
	bound, err = shapeinfer.Infer(m, shapeinfer.Options{Dims: bind})
	if err != nil {
		return open, nil, err.Error()
	}
	if why := sound(bound); why != "" || bound.HasErrors() {
		return open, bound, why
	}
	for _, d := range open.Diagnostics {
		if d.Severity == shapeinfer.Error {
			return open, bound, "an error with open symbols only: " + d.Node + ": " + d.Message
		}
	}
	if emptied(bound) {
		return open, bound, ""
	}
	return open, bound, disagreement(open, bound, bind)
}

// emptied reports whether a pool leaves nothing of a tensor. The expressions of
// a pool are those of sizes at which something is left; there are no others
// that stay short over a whole network.
func emptied(r *shapeinfer.Result) bool {
	for i, n := range r.Main.Graph.Nodes {
		for _, id := range r.Main.Graph.NodeOutputs(int32(i)) {
			if id == onnxgraph.NoValue || !strings.Contains(n.OpType, "Pool") {
				continue
			}
			for _, d := range r.Main.Facts[id].Type.Shape.Dims() {
				if size, ok := d.Int(); ok && size == 0 {
					return true
				}
			}
		}
	}
	return false
}

// listing prints the nodes of a model with their types.
func listing(r *shapeinfer.Result) string {
	if r == nil {
		return ""
	}
	var b strings.Builder
	typed := func(id onnxgraph.ValueID, name string) {
		if id != onnxgraph.NoValue {
			fmt.Fprintf(&b, " %s %s", name, r.Main.Facts[id].Type)
			if v := r.Main.Graph.Values[id]; v.Tensor != nil {
				n, _ := v.Tensor.Int64s(64)
				f, _ := v.Tensor.Float64s(64)
				fmt.Fprint(&b, " = ", n, f)
			}
		}
	}
	for i, n := range r.Main.Graph.Nodes {
		b.WriteString(n.OpType)
		for _, a := range n.Attributes {
			fmt.Fprintf(&b, " %s=%v%v%v%v%q%q", a.Name, a.Int, a.Ints, a.Float, a.Floats, a.String, a.Strings)
		}
		b.WriteString("\n   ")
		for k, id := range r.Main.Graph.NodeInputs(int32(i)) {
			typed(id, n.Inputs[k])
		}
		b.WriteString("\n   ->")
		for k, id := range r.Main.Graph.NodeOutputs(int32(i)) {
			typed(id, n.Outputs[k])
		}
		b.WriteString("\n")
	}
	return b.String()
}
