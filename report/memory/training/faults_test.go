package training_test

import (
	"bytes"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
)

// TestFaultsOfTraining holds what training saves in models on which it was wrong
// once. What each operator keeps is PyTorch's (testdata/training/SAVED.md).
func TestFaultsOfTraining(t *testing.T) {
	const (
		heads  = 4 * 8 * 128 * 32 * 4  // queries, keys, values, results
		scores = 4 * 8 * 128 * 128 * 4 // of attention
	)
	for _, c := range []struct {
		name         string
		opts         training.Options
		saved, masks int64
		trains       int64 // bytes of gradients
		why          string
	}{
		{"r1_bn_metadata", training.Options{}, 2*8*16*32*32*4 + 2*16*4, 0, 4 * (16*16 + 16 + 2*16 + 4*16),
			"the convolution's result for the normalization, with mean and deviation, and that of the ReLU; the convolution has a bias beside the scale and the shift"},
		{"r2_weight_norm", training.Options{}, 512*512*9*4 + 512*4 + 512*8*4, 0, 4 * (512*512*9 + 512 + 512 + 4*512),
			"the weight that is made of direction and length, the norms of its rows, and the ReLU's result; the length trains, too"},
		{"r3_gather_expand", training.Options{}, 96*128*256*4 + 128*128*8, 0, 4 * 64 * 256,
			"the tensor that is picked from, and the indices before they are repeated"},
		{"r5_dropout_zero", training.Options{}, 64 * 128 * 4, 0, 2 * 4 * 128 * 128, "the second product's operand; a dropout of nothing makes no mask"},
		{"r6_attention_plain", training.Options{Attention: training.AttentionEager}, 4*heads + scores, 0, 4 * 4 * 32 * 32,
			"queries, keys, values; the result for the last weight; the probabilities, which softmax and product share"},
		{"r6_attention_dropout", training.Options{Attention: training.AttentionEager}, 4*heads + 2*scores, scores / 4, 4 * 4 * 32 * 32,
			"the same, the scaled copy of the probabilities for the product, and a mask of a byte an element"},
	} {
		res, err := training.Simulate(inferFault(t, c.name), c.opts)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if masks := res.SavedWithDropoutBytes - res.SavedBytes; res.SavedBytes != c.saved || masks != c.masks || res.GradientBytes != c.trains {
			t.Errorf("%s: saves %d, masks %d, gradients %d; must be %d, %d, %d: %s", c.name, res.SavedBytes, masks, res.GradientBytes, c.saved, c.masks, c.trains, c.why)
		}
	}
}

func inferFaultAt(t *testing.T, name string, dims map[string]int64) *shapeinfer.Result {
	t.Helper()
	data := corpus.FaultBytes(t, name)
	m, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := shapeinfer.Infer(m, shapeinfer.Options{Dims: dims, DefaultDims: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCheckpointsAcrossFusedNorms: three files hold the same network, whose sums
// and normalizations two of them write as one operator. The one with LayerNorm
// instead of RMSNorm saves one tensor less a block.
func TestCheckpointsAcrossFusedNorms(t *testing.T) {
	dims := map[string]int64{"batch": 8, "seq": 512}
	for _, checkpoint := range []training.Checkpoint{{}, training.CheckpointEvery(1), training.CheckpointSqrt()} {
		opts := training.Options{Optimizer: training.SGD, Checkpoint: checkpoint}
		peaks := map[string]int64{}
		for _, name := range []string{"ckpt_plain", "ckpt_simplified", "ckpt_skip"} {
			res, err := training.Simulate(inferFaultAt(t, name, dims), opts)
			if err != nil {
				t.Fatal(err)
			}
			peaks[name] = res.PeakBytes
		}
		if peaks["ckpt_simplified"] != peaks["ckpt_plain"] {
			t.Errorf("%s: %d, the same network written out %d", checkpoint, peaks["ckpt_simplified"], peaks["ckpt_plain"])
		}
		if skip, plain := peaks["ckpt_skip"], peaks["ckpt_plain"]; skip > plain || skip < plain*85/100 {
			t.Errorf("%s: with LayerNorm %d, with RMSNorm %d", checkpoint, skip, plain)
		}
	}
}

// TestLoRAKeepsAttentionFused: factors beside the layers change nothing of the
// kernels between them, and all that saves more is what feeds the factors.
func TestLoRAKeepsAttentionFused(t *testing.T) {
	r := inferFaultAt(t, "bert_qa_dyn20", map[string]int64{"batch": 2, "seq": 512})
	const kernel = "ScaledDotProductEfficientAttention"
	full, err := training.Simulate(r, training.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lora, err := training.Simulate(r, training.Options{LoRARank: 8})
	if err != nil {
		t.Fatal(err)
	}
	if full.SavedByOp[kernel] == 0 || lora.SavedByOp[kernel] != full.SavedByOp[kernel] || lora.SavedByOp["Softmax"] != 0 {
		t.Errorf("attention saves %d and %d, with the softmax %d", full.SavedByOp[kernel], lora.SavedByOp[kernel], lora.SavedByOp["Softmax"])
	}
	if lora.SavedBytes >= full.SavedBytes {
		t.Errorf("saves %d, training all of it %d", lora.SavedBytes, full.SavedBytes)
	}
}

// TestFoldedIntoAdd: where the shift of a BatchNormalization is an Add after a
// convolution, it comes back on demand, once for each.
func TestFoldedIntoAdd(t *testing.T) {
	data := corpus.FaultBytes(t, "folded_bn_as_add")
	m, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	convolved, readers, shifts := map[string]bool{}, map[string]int{}, 0
	for _, n := range m.Graph.Nodes {
		convolved[n.Outputs[0]] = n.OpType == "Conv" && len(n.Inputs) == 2
		for _, in := range n.Inputs {
			readers[in]++
		}
	}
	for _, n := range m.Graph.Nodes {
		if n.OpType == "Add" && convolved[n.Inputs[0]] && readers[n.Inputs[0]] == 1 {
			shifts++
		}
	}
	for mode, want := range map[weights.BatchNormMode]int{weights.BatchNormFolded: shifts, weights.BatchNormAuto: 0, weights.BatchNormNone: 0} {
		r := inferFault(t, "folded_bn_as_add")
		w := weights.Collect(r.Program, weights.Options{BatchNorm: mode})
		if _, err := training.NewTrainer(r, w).Simulate(training.Options{}); err != nil {
			t.Fatal(err)
		}
		if len(w.Folded) != want || shifts == 0 {
			t.Errorf("mode %s: %d normalizations, must be %d", mode, len(w.Folded), want)
		}
	}
}

// TestCheckpointUNet cuts where the skip connection starts and ends: of 2x4x16x16
// floats (8192 bytes) the first segment leaves the skip connection, the second the
// upsampled images, which the third reads both. Whole, it saves the skip
// connection, the indices of the pooling (2x4x8x8 of 8 bytes), the pooled images
// and the activation inside (2x4x8x8 floats each), and the joined images.
func TestCheckpointUNet(t *testing.T) {
	const image, inner = 2 * 4 * 16 * 16 * 4, 2 * 4 * 8 * 8
	m := modeltest.New(17).Input("x", onnxgraph.Float, 2, 3, 16, 16).
		InitZeros("k1", onnxgraph.Float, 4, 3, 1, 1).InitZeros("k2", onnxgraph.Float, 4, 4, 1, 1).InitZeros("k3", onnxgraph.Float, 4, 8, 1, 1).
		Init("scales", []int64{4}, []float32{1, 1, 2, 2}).
		Node("Conv", []string{"x", "k1"}, []string{"a"}).Node("Sigmoid", []string{"a"}, []string{"skip"}).
		Node("MaxPool", []string{"skip"}, []string{"p"}, modeltest.Ints("kernel_shape", 2, 2), modeltest.Ints("strides", 2, 2)).
		Node("Conv", []string{"p", "k2"}, []string{"b"}).Node("Sigmoid", []string{"b"}, []string{"c"}).
		Node("Resize", []string{"c", "", "scales"}, []string{"up"}).
		Node("Concat", []string{"skip", "up"}, []string{"joined"}, modeltest.Int("axis", 1)).
		Node("Conv", []string{"joined", "k3"}, []string{"y"}).Output("y")
	whole := simulate(t, m, training.Options{Optimizer: training.SGD})
	cut := simulate(t, m, training.Options{Optimizer: training.SGD, Checkpoint: training.CheckpointEvery(1)})
	equal(t, "saved", whole.SavedBytes, image+8*inner+2*4*inner+2*image)
	equal(t, "saved with checkpoints", cut.SavedBytes, image+image)
	// With all of it there at the end of the forward pass the peak comes then.
	if cut.Timeline.EndForward >= whole.Timeline.EndForward {
		t.Errorf("end of forward %d, without checkpoints %d", cut.Timeline.EndForward, whole.Timeline.EndForward)
	}
}

// TestQuantizedProduct trains factors of rank 2 beside a quantized weight of
// 32x16, and a weight of 8x32 before it: 256 and 2 x (32 + 16) and 2 x (8 + 32)
// floats. Without factors only the weight before it trains.
func TestQuantizedProduct(t *testing.T) {
	m := modeltest.New(17).Opset("com.microsoft", 1).Input("x", onnxgraph.Float, 4, 8).InitZeros("w", onnxgraph.Float, 8, 32).
		InitZeros("q", onnxgraph.Uint8, 16, 1, 16).InitZeros("s", onnxgraph.Float, 16).
		Node("MatMul", []string{"x", "w"}, []string{"h"}).
		Node("MatMulNBits", []string{"h", "q", "s"}, []string{"y"}, modeltest.Domain("com.microsoft"),
			modeltest.Int("K", 32), modeltest.Int("N", 16), modeltest.Int("bits", 4), modeltest.Int("block_size", 32)).Output("y")
	res := simulate(t, m, training.Options{Optimizer: training.SGD})
	equal(t, "gradients", res.GradientBytes, 4*8*32)
	equal(t, "saved", res.SavedBytes, 0) // x is an input, and the quantized weight lies there anyway
	lora := simulate(t, m, training.Options{Optimizer: training.SGD, LoRARank: 2})
	equal(t, "gradients of factors", lora.GradientBytes, 4*2*(8+32+32+16))
	// The two products with the thin factors, and what the second layer reads.
	equal(t, "saved for factors", lora.SavedBytes, 2*4*2*4+4*32*4)
}

// TestTiedCopies: an embedding of 32x16 and its transpose for the output are one
// parameter, which gets one gradient.
func TestTiedCopies(t *testing.T) {
	table, turned := make([]float32, 32*16), make([]float32, 32*16)
	for i := range 32 {
		for j := range 16 {
			table[16*i+j] = float32(17*i+31*j%7) + float32(j)/8
			turned[32*j+i] = table[16*i+j]
		}
	}
	m := modeltest.New(17).Input("ids", onnxgraph.Int64, 4).Init("table", []int64{32, 16}, table).Init("head", []int64{16, 32}, turned).
		Node("Gather", []string{"table", "ids"}, []string{"e"}).Node("Tanh", []string{"e"}, []string{"h"}).
		Node("MatMul", []string{"h", "head"}, []string{"y"}).Output("y")
	r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tied := simulate(t, m, training.Options{Optimizer: training.SGD})
	apart, err := training.NewTrainer(r, weights.Collect(r.Program, weights.Options{Untie: true})).Simulate(training.Options{Optimizer: training.SGD})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "parameters", tied.ParameterBytes, 4*32*16)
	equal(t, "gradients", tied.GradientBytes, 4*32*16)
	equal(t, "parameters apart", apart.ParameterBytes, 2*4*32*16)
	equal(t, "gradients apart", apart.GradientBytes, 2*4*32*16)
	// tanh keeps its result, which the product reads, too; the indices are an input.
	equal(t, "saved", tied.SavedBytes, 4*16*4)
	equal(t, "saved apart", apart.SavedBytes, 4*16*4)
}
