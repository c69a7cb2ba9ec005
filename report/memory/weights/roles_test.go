package weights_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/weights"
)

// TestWhatTrains counts the elements that PyTorch's modules hold as parameters
// and as buffers where the exported graph has others beside them or in their
// place. The modules are those named; the sizes are added up by hand.
func TestWhatTrains(t *testing.T) {
	ones := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = 1
		}
		return v
	}
	image := func() *modeltest.Builder {
		return modeltest.New(17).Input("x", onnxgraph.Float, "n", 2, 8, 8).Output("y")
	}
	for _, c := range []struct {
		name                   string
		model                  *modeltest.Builder
		trains, buffers, rests int64 // elements; the rests are constants
	}{
		{
			// Conv2d(2, 4, 1, bias=False) whose weight is standardised by batch_norm with a gain of 4.
			name: "weight standardisation",
			model: image().Init("onnx::BatchNormalization_1", []int64{1, 4, 2}, ones(8)).Init("onnx::BatchNormalization_2", []int64{4}, ones(4)).
				Init("onnx::Reshape_3", []int64{4}, []int64{4, 2, 1, 1}).
				Constant("zeros", []int64{4}, make([]float32, 4)).Constant("mean", []int64{4}, make([]float32, 4)).Constant("var", []int64{4}, ones(4)).
				Node("BatchNormalization", []string{"onnx::BatchNormalization_1", "onnx::BatchNormalization_2", "zeros", "mean", "var"}, []string{"s"}).
				Node("Reshape", []string{"s", "onnx::Reshape_3"}, []string{"w"}).Node("Conv", []string{"x", "w"}, []string{"y"}),
			trains: 8 + 4, buffers: 8, rests: 4 + 4,
		},
		{
			// GroupNorm(1, 2): the operator's own scale and shift are ones and zeros, one a group.
			name: "GroupNorm as InstanceNormalization",
			model: image().Init("onnx::Mul_1", []int64{2, 1, 1}, ones(2)).Init("onnx::Add_2", []int64{2, 1, 1}, ones(2)).
				Constant("flat", []int64{3}, []int64{0, 1, -1}).Constant("one", []int64{1}, ones(1)).Constant("zero", []int64{1}, make([]float32, 1)).Constant("full", []int64{4}, []int64{-1, 2, 8, 8}).
				Node("Reshape", []string{"x", "flat"}, []string{"r"}).Node("InstanceNormalization", []string{"r", "one", "zero"}, []string{"i"}).Node("Reshape", []string{"i", "full"}, []string{"b"}).
				Node("Mul", []string{"b", "onnx::Mul_1"}, []string{"m"}).Node("Add", []string{"m", "onnx::Add_2"}, []string{"y"}),
			trains: 4, rests: 3 + 1 + 1 + 4,
		},
		{
			// The same vectors in a file that keeps all weights in Constant nodes are weights.
			name: "weights in Constant nodes",
			model: image().Constant("w", []int64{2, 2, 1, 1}, ones(4)).Constant("scale", []int64{2}, ones(2)).Constant("shift", []int64{2}, ones(2)).
				Node("Conv", []string{"x", "w"}, []string{"c"}).Node("InstanceNormalization", []string{"c", "scale", "shift"}, []string{"y"}),
			trains: 8,
		},
		{
			// torchvision's FrozenBatchNorm2d(3): four buffers, of which the exporter makes a factor and a summand.
			name: "frozen BatchNorm",
			model: image().Init("conv.weight", []int64{3, 2, 1, 1}, ones(6)).Init("onnx::Mul_1", []int64{1, 3, 1, 1}, ones(3)).Init("onnx::Add_2", []int64{1, 3, 1, 1}, ones(3)).
				Node("Conv", []string{"x", "conv.weight"}, []string{"c"}).Node("Mul", []string{"c", "onnx::Mul_1"}, []string{"m"}).Node("Add", []string{"m", "onnx::Add_2"}, []string{"y"}),
			trains: 6, buffers: 6,
		},
		{
			// A layer scale of 3 after a Conv2d with a bias trains.
			name: "layer scale",
			model: image().Init("conv.weight", []int64{3, 2, 1, 1}, ones(6)).Init("conv.bias", []int64{3}, ones(3)).Init("onnx::Mul_1", []int64{1, 3, 1, 1}, ones(3)).
				Node("Conv", []string{"x", "conv.weight", "conv.bias"}, []string{"c"}).Node("Mul", []string{"c", "onnx::Mul_1"}, []string{"y"}),
			trains: 6 + 3 + 3,
		},
		{
			// temperature ** (2 * i / 8): the periods of a table of positions.
			name: "computed periods",
			model: image().Init("pow_1", []int64{8}, ones(8)).Init("norm.weight", []int64{8}, ones(8)).
				Node("Div", []string{"x", "pow_1"}, []string{"d"}).Node("Mul", []string{"d", "norm.weight"}, []string{"y"}),
			trains: 8, rests: 8,
		},
	} {
		w := weights.Collect(onnxgraph.Resolve(c.model.Model(t)), weights.Options{})
		if w.Trainable != c.trains || w.Buffers != c.buffers || w.Constants != c.rests {
			t.Errorf("%s: %d train, %d buffers, %d constants; are %d, %d, %d", c.name, w.Trainable, w.Buffers, w.Constants, c.trains, c.buffers, c.rests)
		}
	}
}
