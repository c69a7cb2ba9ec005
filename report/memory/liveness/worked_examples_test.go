package liveness_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/tensor"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// 256 images of 3 x 100 x 100 floats: 256 * 3 * 100 * 100 * 4 = 30,720,000.
func TestBatchOfImagesIs30MB(t *testing.T) {
	size := memory.SizeOf(tensor.Of(onnxgraph.Float, tensor.IntShape(256, 3, 100, 100)))
	if n, ok := size.Exact(); !ok || n != 30_720_000 {
		t.Errorf("%d bytes, is 30,720,000", n)
	}
}

// Sub-byte elements are packed: 5 of 4 bits take ceil(20 / 8) = 3 bytes, 5 of 2
// bits ceil(10 / 8) = 2.
func TestPackedSizes(t *testing.T) {
	for d, want := range map[onnxgraph.DType]int64{onnxgraph.Int4: 3, onnxgraph.Uint4: 3, onnxgraph.Float4E2M1: 3, onnxgraph.Int2: 2, onnxgraph.Bool: 5} {
		if n, ok := memory.SizeOf(tensor.Of(d, tensor.IntShape(5))).Exact(); !ok || n != want {
			t.Errorf("%s[5]: %d bytes, is %d", d, n, want)
		}
	}
}

// The layers of VGG16 (Simonyan and Zisserman, Very Deep Convolutional Networks
// for Large-Scale Image Recognition, 2014, table 1, configuration D) with an
// input of 3 x 224 x 224: a 3 x 3 convolution from a to b channels has 9ab
// weights and b biases; a fully connected layer from a to b has ab and b. The
// first one reads 512 x 7 x 7 values.
var vgg16 = []struct{ weights, biases int64 }{
	{1_728, 64}, {36_864, 64}, // conv3-64 twice
	{73_728, 128}, {147_456, 128}, // conv3-128 twice
	{294_912, 256}, {589_824, 256}, {589_824, 256}, // conv3-256
	{1_179_648, 512}, {2_359_296, 512}, {2_359_296, 512}, // conv3-512
	{2_359_296, 512}, {2_359_296, 512}, {2_359_296, 512}, // conv3-512
	{102_760_448, 4_096}, {16_777_216, 4_096}, {4_096_000, 1_000}, // FC
}

func TestVGG16LayerByLayer(t *testing.T) {
	program := onnxgraph.Resolve(runs.Model(t, corpus.ZooNamed(t, "vgg16_ts17").Model))
	w := weights.Collect(program, weights.Options{})
	if w.Trainable != 138_357_544 || w.FoldedBatchNorm != 0 {
		t.Errorf("%d parameters (%d restored), is 138,357,544", w.Trainable, w.FoldedBatchNorm)
	}
	layer := 0
	for i, n := range program.Main.Nodes {
		weights, biases := int64(0), int64(0)
		for slot, id := range program.Main.NodeInputs(int32(i)) {
			if stored := program.Main.Values[id].Tensor; stored != nil {
				elements, _ := stored.Elements()
				if slot == 1 {
					weights = elements
				} else {
					biases = elements
				}
			}
		}
		switch n.OpType {
		case "Conv", "Gemm":
			if layer < len(vgg16) && (weights != vgg16[layer].weights || biases != vgg16[layer].biases) {
				t.Errorf("layer %d, %s: %d weights and %d biases, is %d and %d", layer, n.Name, weights, biases, vgg16[layer].weights, vgg16[layer].biases)
			}
			layer++
		default: // Relu, MaxPool, Flatten, Dropout hold none
			if weights+biases != 0 {
				t.Errorf("%s %s holds %d parameters", n.OpType, n.Name, weights+biases)
			}
		}
	}
	if layer != len(vgg16) {
		t.Errorf("%d layers with parameters, is %d", layer, len(vgg16))
	}
}

// Two layers on a batch of 2: x [2,3] -> MatMul with W [3,4] -> h [2,4] -> Relu
// -> y [2,4], the factor of a scale stored beside them. By hand, in bytes:
// inputs 2*3*4 = 24; W 3*4*4 = 48 trains; the scalar 4 does not; node outputs
// 3 * 2*4*4 = 96.
//
//	sgd:      48*2 + 4 + 2*96 + 24 = 316
//	momentum: 48*3 + 4 + 2*96 + 24 = 364
//	adam:     48*4 + 4 + 2*96 + 24 = 412
func TestClassicCountsTheGradientOnce(t *testing.T) {
	model := modeltest.New(17).Input("x", onnxgraph.Float, 2, 3).
		InitZeros("W", onnxgraph.Float, 3, 4).InitZeros("factor", onnxgraph.Float).
		Node("MatMul", []string{"x", "W"}, []string{"h"}).
		Node("Mul", []string{"h", "factor"}, []string{"s"}).
		Node("Relu", []string{"s"}, []string{"y"}).Output("y").Model(t)
	r, err := shapeinfer.Infer(model, shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := liveness.NewProgram(r, liveness.Options{})
	w := weights.Collect(r.Program, weights.Options{})
	for optimizer, want := range map[training.Optimizer]int64{training.SGD: 316, training.Momentum: 364, training.Adam: 412} {
		if n, ok := training.RuleOfThumb(w, p.Sum(), p.InputSize(), optimizer).Exact(); !ok || n != want {
			t.Errorf("%s: %d bytes, is %d", optimizer, n, want)
		}
	}
}
