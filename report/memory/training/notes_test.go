package training_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/finding"
	"onnxmem/report/memory/training"
	"onnxmem/shapeinfer"
)

func says(r *training.Result, codes ...finding.Code) bool {
	return slices.ContainsFunc(r.Notes, func(n finding.Finding) bool { return slices.Contains(codes, n.Code) })
}

// Weights of 8x8 stored in 16 bits: in fp32 they train as 4 bytes an element,
// which is said; in bf16 as 2.
func TestStoredIn16Bits(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float16, 2, 8).InitZeros("w", onnxgraph.Float16, 8, 8).
		Node("MatMul", []string{"x", "w"}, []string{"y"}).Output("y")
	for _, c := range []struct {
		precision training.Precision
		bytes     int64
		said      bool
	}{{training.FP32, 256, true}, {training.AMPBF16, 256, true}, {training.BF16, 128, false}, {training.BF16Master, 128, false}} {
		r := simulate(t, m, training.Options{Precision: c.precision})
		if r.ParameterBytes != c.bytes || says(r, finding.Stored16Bit) != c.said {
			t.Errorf("%s: %d bytes of parameters, must be %d; notes %v", c.precision, r.ParameterBytes, c.bytes, r.Notes)
		}
	}
}

// A pooling before a classifier, where networks have a dropout: without one
// asked for that is said, with one it keeps a byte for each of the 2x4 features.
func TestDropoutBeforeAClassifier(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, 2, 3, 8, 8).InitZeros("k", onnxgraph.Float, 4, 3, 3, 3).InitZeros("w", onnxgraph.Float, 4, 10).
		Node("Conv", []string{"x", "k"}, []string{"a"}).Node("GlobalAveragePool", []string{"a"}, []string{"b"}).
		Node("Flatten", []string{"b"}, []string{"c"}).Node("Gemm", []string{"c", "w"}, []string{"y"}).Output("y")
	auto, asked, none := simulate(t, m, training.Options{}), simulate(t, m, training.Options{Dropout: training.DropoutRate(.1)}), simulate(t, m, training.Options{Dropout: training.DropoutRate(0)})
	if !says(auto, finding.DropoutNotShown) || says(asked, finding.DropoutNotShown, finding.DropoutAssumed) || says(none, finding.DropoutNotShown, finding.DropoutAssumed) {
		t.Errorf("notes: %v, asked for: %v, none: %v", auto.Notes, asked.Notes, none.Notes)
	}
	equal(t, "masks", asked.SavedWithDropoutBytes-asked.SavedBytes, 8)
	equal(t, "masks of none", auto.SavedWithDropoutBytes-auto.SavedBytes, 0)
}

// Reasons say what is in the way: a loop, dims that multiply past what is
// followed (an Expand takes no memory, but its gradient would).
func TestReasons(t *testing.T) {
	body := modeltest.Body().Input("i", onnxgraph.Int64).Input("go", onnxgraph.Bool).Input("v", onnxgraph.Float, 4).
		Node("Identity", []string{"go"}, []string{"on"}).Node("Mul", []string{"v", "w"}, []string{"next"}).Output("on", "next")
	loop := modeltest.New(17).Input("x", onnxgraph.Float, 4).InitZeros("w", onnxgraph.Float, 4).Init("n", nil, []int64{5}).
		Node("Loop", []string{"n", "", "x"}, []string{"y"}, modeltest.NodeName("steps"), modeltest.Subgraph("body", body)).Output("y")
	huge := modeltest.New(17).Input("x", onnxgraph.Float, 2, 4).InitZeros("w", onnxgraph.Float, 4, 1).Init("shape", []int64{2}, []int64{2, 1 << 55}).
		Node("MatMul", []string{"x", "w"}, []string{"a"}).Node("Expand", []string{"a", "shape"}, []string{"y"}, modeltest.NodeName("wide")).Output("y")
	for _, c := range []struct {
		m    *modeltest.Builder
		code finding.Code
		node string
	}{{loop, finding.TrainingControlFlow, "steps"}, {huge, finding.TrainingTooLarge, "wide"}} {
		r, err := shapeinfer.Infer(c.m.Model(t), shapeinfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = training.Simulate(r, training.Options{})
		var unknown *training.UnknownError
		if !errors.As(err, &unknown) || unknown.Code != c.code || unknown.Node != c.node || !strings.HasPrefix(err.Error(), c.node+": training: ") {
			t.Errorf("%v, must be %s at %s", err, c.code, c.node)
		}
	}
}

// After a convolution of 2x4x8x8 (2048 bytes): LeakyRelu is taken to write over
// its input, which is said and which keeps the one result; Elu has to be asked
// for. The last convolution keeps the result either way, and in place it is the
// same storage.
func TestWhichActivationsWriteOverTheirInput(t *testing.T) {
	for _, c := range []struct {
		op      string
		inPlace training.InPlace
		saved   int64
		said    bool
	}{
		{"LeakyRelu", training.InPlaceAuto, 2048, true}, {"LeakyRelu", training.InPlaceOff, 2 * 2048, false}, {"Elu", training.InPlaceAuto, 2 * 2048, false},
		{"Elu", training.InPlaceOn, 2048, false}, {"Relu", training.InPlaceAuto, 2048, false},
	} {
		m := modeltest.New(17).Input("x", onnxgraph.Float, 2, 3, 8, 8).InitZeros("k", onnxgraph.Float, 4, 3, 1, 1).InitZeros("l", onnxgraph.Float, 4, 4, 1, 1).
			Node("Conv", []string{"x", "k"}, []string{"a"}).Node(c.op, []string{"a"}, []string{"b"}).Node("Conv", []string{"b", "l"}, []string{"y"}).Output("y")
		r := simulate(t, m, training.Options{InPlace: c.inPlace})
		if r.SavedBytes != c.saved || says(r, finding.InPlaceAssumed) != c.said {
			t.Errorf("%s %s: keeps %d, must be %d; notes %v", c.op, c.inPlace, r.SavedBytes, c.saved, r.Notes)
		}
	}
}

// A LeakyRelu over an InstanceNormalization of 2x4x8x8 (2048 bytes) keeps its
// result, which the convolution after it reads. The normalisation keeps its
// input, and mean, deviation and scale of 8 rows (96 bytes). The most is at the
// activation's derivative: parameters (48 + 64 + 16 + 16), input (1536), kept
// (2 x 2048 + 96), output and loss (2052), the last weight's gradient (64), and
// four gradients of 2048: that which comes, its two copies in CopySlices, and
// the result.
func TestActivationOverInstanceNorm(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, 2, 3, 8, 8).InitZeros("k", onnxgraph.Float, 4, 3, 1, 1).InitZeros("l", onnxgraph.Float, 4, 4, 1, 1).
		InitZeros("gain", onnxgraph.Float, 4).InitZeros("shift", onnxgraph.Float, 4).
		Node("Conv", []string{"x", "k"}, []string{"a"}).Node("InstanceNormalization", []string{"a", "gain", "shift"}, []string{"b"}).
		Node("LeakyRelu", []string{"b"}, []string{"c"}).Node("Conv", []string{"c", "l"}, []string{"y"}).Output("y")
	r := simulate(t, m, training.Options{Optimizer: training.SGD})
	equal(t, "kept", r.SavedBytes, 2*2048+96)
	equal(t, "most in backward", r.Timeline.MaxBackward, 48+64+16+16+1536+2*2048+96+2052+64+4*2048)
}
