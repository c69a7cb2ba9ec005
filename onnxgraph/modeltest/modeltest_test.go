package modeltest_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

// The example of the package comment.
func TestBuilder(t *testing.T) {
	m := modeltest.New(17).
		Input("x", onnxgraph.Float, 1, "c", 224, nil).
		InitZeros("w", onnxgraph.Float, 64, 3, 7, 7).
		Node("Conv", []string{"x", "w"}, []string{"y"}, modeltest.Ints("pads", 3, 3, 3, 3), modeltest.NodeName("conv")).
		Output("y").
		Model(t)
	if v, ok := m.Opset(""); v != 17 || !ok {
		t.Errorf("opset %d, %v", v, ok)
	}
	node := m.Graph.Nodes[0]
	if node.OpType != "Conv" || node.Name != "conv" || len(node.Attribute("pads").Ints) != 4 {
		t.Errorf("node %+v", node)
	}
	dims := m.Graph.Inputs[0].Type.Shape.Dims
	if len(dims) != 4 || dims[0] != (onnxgraph.Dim{Value: 1, HasValue: true}) || dims[1] != (onnxgraph.Dim{Param: "c"}) || dims[3] != (onnxgraph.Dim{}) {
		t.Errorf("dims %+v", dims)
	}
	if n, ok := m.Graph.Initializers[0].StoredBytes(); n != 64*3*7*7*4 || !ok {
		t.Errorf("weight of %d bytes, %v", n, ok)
	}
}
