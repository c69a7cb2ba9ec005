package onnxgo_test

import (
	"errors"
	"testing"

	"github.com/owulveryck/onnx-go/backend/testbackend"
	_ "github.com/owulveryck/onnx-go/backend/testbackend/onnx" // registers the cases

	"onnxmem/onnxgraph/onnxgo"
)

// TestCasesSurvive takes the operator cases that onnx-go carries over from onnx-go: whatever it decodes
// has the nodes, attributes, tensors and shapes of the file, since all dims of
// these files are numbers.
func TestCasesSurvive(t *testing.T) {
	for _, newCase := range testbackend.GetAllRegisteredTests() {
		c := newCase()
		_, lost, err := onnxgo.Convert(c.ModelB)
		var decode *onnxgo.DecodeError
		if errors.As(err, &decode) {
			if c.Title != "TestScan9Sum" { // it has a subgraph
				t.Errorf("%s: %v", c.Title, decode)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.Title, err)
		}
		for _, d := range lost {
			switch d.Code {
			case onnxgo.LostHeader, onnxgo.LostNodeName, onnxgo.LostDoc:
			default:
				t.Errorf("%s: %v", c.Title, d)
			}
		}
	}
}
