package tensor_test

import (
	"fmt"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

func TestFactString(t *testing.T) {
	batch := dim.Symbol("batch")
	floats := tensor.Of(onnxgraph.Float, tensor.MakeShape(dim.Int(8), dim.Int(1000)))
	for _, c := range []struct {
		fact tensor.Fact
		want string
	}{
		{tensor.Fact{Type: floats}, "FLOAT[8,1000]"},
		{tensor.Fact{}, "?"},
		{tensor.Fact{Type: tensor.Of(onnxgraph.Float16, tensor.Shape{})}, "FLOAT16?"},
		{tensor.Fact{Type: tensor.Of(onnxgraph.Undefined, tensor.MakeShape(batch, dim.Unknown()))}, "?[batch,?]"},
		{tensor.Fact{Type: tensor.SequenceOf(floats)}, "SEQUENCE(FLOAT)[8,1000]"},
		{factOf(tensor.IntVector(batch, dim.Int(4))), "INT64[2] = [batch,4]"},
		{factOf(tensor.ScalarOf(onnxgraph.Bool, tensor.Bool(true))), "BOOL[] = true"},
		{factOf(tensor.ScalarOf(onnxgraph.String, tensor.Text(`a "b"`))), `STRING[] = "a \"b\""`},
		{factOf(tensor.ScalarOf(onnxgraph.Float, tensor.Float(0.5))), "FLOAT[] = 0.5"},
		{factOf(tensor.IntVector(make([]dim.Dim, 17)...)), "INT64[17]"},
	} {
		if got := fmt.Sprint(c.fact); got != c.want {
			t.Errorf("printed %s, want %s", got, c.want)
		}
	}
}

func factOf(v *tensor.Value) tensor.Fact { return tensor.Fact{Type: v.Type(), Value: v} }
