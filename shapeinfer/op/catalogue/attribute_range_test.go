package catalogue_test

import (
	"math"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

// TestAttributesOutOfRange: numbers in attributes at the ends of 64 bits are
// refused, or leave a size open; they never wrap around into another one.
func TestAttributesOutOfRange(t *testing.T) {
	const most = math.MaxInt64
	image := func(opset int64) *modeltest.Builder {
		return modeltest.New(opset).Input("x", onnxgraph.Float, 1, 3, 8, 8)
	}
	runGraphs(t, []graphCase{
		// Cropped by 2^64 - 2 columns, not by -2.
		{clause: "Crop 1: border", model: image(1).Node("Crop", names("x"), names("y"), modeltest.Ints("border", most, 0, most, 0)).Output("y"),
			want: map[string]string{"y": "FLOAT[1,3,8,?]"}},
		// 2^32 + 1 names no element type; FLOAT is 1.
		{clause: "LayerNormalization 17: stash_type", model: image(17).InitZeros("scale", onnxgraph.Float, 8).
			Node("LayerNormalization", names("x", "scale"), names("y", "mean"), modeltest.Int("stash_type", 1<<32+1)).Output("y", "mean"),
			want: map[string]string{"y": "FLOAT[1,3,8,8]", "mean": "[1,3,8,1]"}},
		{clause: "SequenceEmpty 11: dtype", model: image(11).Node("SequenceEmpty", nil, names("y"), modeltest.Int("dtype", 1<<32+1)).Output("y"), fail: "attribute"},
		// As many splits as there are separators: three substrings.
		{clause: "StringSplit 20: maxsplit", model: modeltest.New(20).Constant("text", []int64{1}, []string{"a b c"}).
			Node("StringSplit", names("text"), names("y", "counts"), modeltest.Int("maxsplit", most)).Output("y", "counts"),
			want: map[string]string{"y": "STRING[1,3]"}},
		// (8 + pads - 3)/1 + 1 with more padding than 64 bits hold.
		{clause: "MaxPool 12: pads", model: image(12).Node("MaxPool", names("x"), names("y"), modeltest.Int("ceil_mode", 1),
			modeltest.Ints("kernel_shape", 3, 3), modeltest.Ints("pads", most, 0, most, 0)).Output("y"), fail: "attribute"},
	})
}
