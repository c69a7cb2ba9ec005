package annotate_test

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/internal/onnxpb"
	"onnxmem/testdata/corpus"
)

// FuzzWrite writes types into every place of any file that can be read: it can
// be read back with those types, and is the same model but for them.
func FuzzWrite(f *testing.F) {
	for i, file := range corpus.FuzzSeeds(f) {
		f.Add(file, uint8(i))
	}
	f.Add(nested(), uint8(1))
	f.Fuzz(func(t *testing.T, file []byte, seed uint8) {
		m, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
		if err != nil || tooDeep(m) {
			return
		}
		scopes := everywhere(m, int(seed))
		out := write(t, file, m, scopes)
		checkTypes(t, m, read(t, out), scopes)
		if proto.Unmarshal(file, new(onnxpb.ModelProto)) == nil {
			checkRest(t, file, out)
		}
	})
}

// tooDeep reports whether some types cannot be written since they would nest
// too deep. TestTooDeep is about those.
func tooDeep(m *onnxgraph.Model) bool {
	var depth func(g *onnxgraph.Graph) int
	nodes := func(nodes []*onnxgraph.Node) (deepest int) {
		for _, n := range nodes {
			for _, a := range n.Attributes {
				deepest = max(deepest, depth(a.Graph))
				for _, g := range a.Graphs {
					deepest = max(deepest, depth(g))
				}
			}
		}
		return deepest
	}
	depth = func(g *onnxgraph.Graph) int {
		if g == nil {
			return 0
		}
		return 1 + nodes(g.Nodes)
	}
	deepest := depth(m.Graph)
	for _, f := range m.Functions {
		deepest = max(deepest, 1+nodes(f.Nodes))
	}
	return deepest > 28
}
