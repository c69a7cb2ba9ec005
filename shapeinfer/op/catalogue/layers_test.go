package catalogue_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

func TestMatrixProducts(t *testing.T) {
	num, str := modeltest.Int, modeltest.String
	runLayers(t, []layerCase{
		{clause: "batches broadcast", opset: 13, op: "MatMul", inputs: []layerInput{of("b", 12, "s", 64), of(12, 64, "t")}, want: []string{"FLOAT[b,12,s,t]"}, macs: "b*12*s*t*64"},
		{clause: "a vector on the left", opset: 13, op: "MatMul", inputs: []layerInput{of(4), of("b", 4, 5)}, want: []string{"FLOAT[b,5]"}, macs: "b*20"},
		{clause: "a vector on the right", opset: 13, op: "MatMul", inputs: []layerInput{of("b", 3, 4), of(4)}, want: []string{"FLOAT[b,3]"}},
		{clause: "two vectors", opset: 13, op: "MatMul", inputs: []layerInput{of(4), of(4)}, want: []string{"FLOAT[]"}, macs: "4"},
		{clause: "inner dims", opset: 13, op: "MatMul", inputs: []layerInput{of("b", 3, 4), of(5, 4)}, fail: "shape"},
		{clause: "no scalars", opset: 13, op: "MatMul", inputs: []layerInput{of("b", 3, 4), of()}, fail: "rank"},
		{clause: "INT32 result", opset: 10, op: "MatMulInteger", inputs: []layerInput{typed(onnxgraph.Uint8, "m", 3), typed(onnxgraph.Int8, 3, 4)}, want: []string{"INT32[m,4]"}, macs: "12*m"},
		{clause: "transposed operands", opset: 11, op: "Gemm", inputs: []layerInput{of(64, "n"), of(10, 64)}, attrs: attrs(num("transA", 1), num("transB", 1)), want: []string{"FLOAT[n,10]"}, macs: "640*n"},
		{clause: "C without broadcast", opset: 6, op: "Gemm", inputs: []layerInput{of(3, 4), of(4, 5), of(5)}, fail: "shape"},
		{clause: "C with broadcast", opset: 6, op: "Gemm", inputs: []layerInput{of(3, 4), of(4, 5), of(5)}, attrs: attrs(num("broadcast", 1)), want: []string{"FLOAT[3,5]"}},
		{clause: "C broadcasts to the result only", opset: 13, op: "Gemm", inputs: []layerInput{of(1, 4), of(4, 5), of(3, 5)}, fail: "shape"},
		{clause: "attention scores", opset: 12, op: "Einsum", inputs: []layerInput{of("b", "h", "s", 64), of("b", "h", "t", 64)}, attrs: attrs(str("equation", "bhsd,bhtd->bhst")), want: []string{"FLOAT[b,h,s,t]"}, macs: "b*h*s*t*64"},
		// Labels that occur once, A before a; the ellipsis first.
		{clause: "implicit result", opset: 12, op: "Einsum", inputs: []layerInput{of("b", 3, 4, 5), of(4, 7)}, attrs: attrs(str("equation", "... a A k, k Z")), fail: "shape"},
		{clause: "implicit result in ASCII order", opset: 12, op: "Einsum", inputs: []layerInput{of("b", 3, 4, 5), of(5, 7)}, attrs: attrs(str("equation", "... a A k, k Z")), want: []string{"FLOAT[b,4,7,3]"}},
		{clause: "a diagonal has no products", opset: 12, op: "Einsum", inputs: []layerInput{of("b", 4, 4)}, attrs: attrs(str("equation", "...ii->...i")), want: []string{"FLOAT[b,4]"}, macs: "0"},
		// First ij,jk over i, j, k, then ik,kl over i, k, l: j is gone.
		{clause: "operands one after the other", opset: 12, op: "Einsum", inputs: []layerInput{of(2, 3), of(3, 5), of(5, 7)}, attrs: attrs(str("equation", "ij,jk,kl->il")), want: []string{"FLOAT[2,7]"}, macs: "2*3*5 + 2*5*7"},
		{clause: "one size an ellipsis", opset: 12, op: "Einsum", inputs: []layerInput{of(2, 3), of(2, 2, 3)}, attrs: attrs(str("equation", "...ij,...ij->...")), fail: "rank"},
		{clause: "an unknown label in the result", opset: 12, op: "Einsum", inputs: []layerInput{of(2, 3)}, attrs: attrs(str("equation", "ij->ik")), fail: "attribute"},
		{clause: "square matrices vanish", opset: 11, op: "Det", inputs: []layerInput{of("b", 4, 4)}, want: []string{"FLOAT[b]"}},
	})
}

func TestNormalisations(t *testing.T) {
	num := modeltest.Int
	x, c := of("n", 6, "h"), of(6)
	runLayers(t, []layerCase{
		{clause: "five outputs before 14", opset: 9, op: "BatchNormalization", inputs: []layerInput{x, c, c, c, c}, want: []string{"FLOAT[n,6,h]", "FLOAT[6]", "FLOAT[6]", "FLOAT[6]", "FLOAT[6]"}},
		{clause: "one output or five", opset: 9, op: "BatchNormalization", inputs: []layerInput{x, c, c, c, c}, want: []string{"FLOAT[n,6,h]", "FLOAT[6]"}, fail: "arity"},
		{clause: "one output or three", opset: 14, op: "BatchNormalization", inputs: []layerInput{x, c, c, c, c}, attrs: attrs(num("training_mode", 1)), want: []string{"FLOAT[n,6,h]", "FLOAT[6]"}, fail: "arity"},
		{clause: "not spatial", opset: 7, op: "BatchNormalization", inputs: []layerInput{of("n", 6, 4), of(6, 4), of(6, 4), of(6, 4), of(6, 4)}, attrs: attrs(num("spatial", 0)), want: []string{"FLOAT[n,6,4]", "FLOAT[6,4]", "FLOAT[6,4]", "FLOAT[6,4]", "FLOAT[6,4]"}},
		{clause: "running statistics have their own type", opset: 15, op: "BatchNormalization", inputs: []layerInput{typed(onnxgraph.Float16, "n", 6, "h"), c, c, c, c}, attrs: attrs(num("training_mode", 1)), want: []string{"FLOAT16[n,6,h]", "FLOAT[6]", "FLOAT[6]"}},
		{clause: "extra outputs ask for training_mode", opset: 15, op: "BatchNormalization", inputs: []layerInput{x, c, c, c, c}, want: []string{"FLOAT[n,6,h]", "FLOAT[6]", "FLOAT[6]"}, fail: "arity"},
		{clause: "C of scale", opset: 9, op: "BatchNormalization", inputs: []layerInput{x, of(5), c, c, c}, fail: "shape"},
		{clause: "a vector has one channel", opset: 9, op: "BatchNormalization", inputs: []layerInput{of("n"), of(1), of(1), of(1), of(1)}, want: []string{"FLOAT[n]"}},
		{clause: "ones for the normalised axes", opset: 17, op: "LayerNormalization", inputs: []layerInput{typed(onnxgraph.Float16, "n", "s", 8), typed(onnxgraph.Float16, 8)}, attrs: attrs(num("axis", 1)), want: []string{"FLOAT16[n,s,8]", "FLOAT[n,1,1]", "FLOAT[n,1,1]"}},
		{clause: "scale broadcasts to X", opset: 17, op: "LayerNormalization", inputs: []layerInput{x, of(7)}, attrs: attrs(num("axis", 1)), want: []string{"FLOAT[n,6,h]"}},
		{clause: "scale must fit", opset: 17, op: "LayerNormalization", inputs: []layerInput{of("n", 6), of(7)}, fail: "shape"},
		{clause: "type of scale", opset: 23, op: "RMSNormalization", inputs: []layerInput{typed(onnxgraph.Float16, "n", 6), c}, want: []string{"FLOAT[n,6]"}},
		{clause: "scale a group", opset: 18, op: "GroupNormalization", inputs: []layerInput{x, of(3), of(3)}, attrs: attrs(num("num_groups", 3)), want: []string{"FLOAT[n,6,h]"}},
		{clause: "scale a channel", opset: 21, op: "GroupNormalization", inputs: []layerInput{x, of(3), of(3)}, attrs: attrs(num("num_groups", 3)), fail: "shape"},
		{clause: "groups divide channels", opset: 21, op: "GroupNormalization", inputs: []layerInput{x, c, c}, attrs: attrs(num("num_groups", 4)), fail: "shape"},
	})
}

func TestRecurrentLayers(t *testing.T) {
	num, str := modeltest.Int, modeltest.String
	runLayers(t, []layerCase{
		// 4 gates of hidden 20 times (10 + 20), two directions.
		{clause: "hidden size from R", opset: 14, op: "LSTM", inputs: []layerInput{of("t", "b", 10), of(2, 80, 10), of(2, 80, 20)}, attrs: attrs(str("direction", "bidirectional")),
			want: []string{"FLOAT[t,2,b,20]", "FLOAT[2,b,20]", "FLOAT[2,b,20]"}, macs: "t*b*2*4*20*30"},
		{clause: "layout 1", opset: 22, op: "GRU", inputs: []layerInput{of("b", "t", 10), of(1, 15, 10), of(1, 15, 5)}, attrs: attrs(num("layout", 1), num("hidden_size", 5)),
			want: []string{"FLOAT[b,t,1,5]", "FLOAT[b,1,5]"}, macs: "t*b*3*5*15"},
		{clause: "only the last state", opset: 7, op: "RNN", inputs: []layerInput{of("t", "b", 10), of(1, 5, 10), of(1, 5, 5)}, want: []string{"", "FLOAT[1,b,5]"}, macs: "t*b*5*15"},
		// 4 gates of 5 are 20 rows; their biases, for W and R, are 40.
		{clause: "rows are whole gates", opset: 14, op: "LSTM", inputs: []layerInput{of("t", "b", 10), of(1, 7, 10), of(1, 7, 5)}, fail: "shape"},
		{clause: "biases for every row", opset: 14, op: "LSTM", inputs: []layerInput{of("t", "b", 10), of(1, 20, 10), of(1, 20, 5), of(1, 20)}, fail: "shape"},
		{clause: "input size", opset: 14, op: "RNN", inputs: []layerInput{of("t", "b", 10), of(1, 5, 9), of(1, 5, 5)}, fail: "shape"},
		{clause: "rank 3", opset: 7, op: "GRU", inputs: []layerInput{of("t", 10), of(1, 15, 10), of(1, 15, 5)}, fail: "rank"},
	})
}

func TestAttentionLayers(t *testing.T) {
	num, str := modeltest.Int, modeltest.String
	four := []layerInput{of("b", 4, "s", 16), of("b", 2, "t", 16), of("b", 2, "t", 8)}
	runLayers(t, []layerCase{
		{clause: "rank 4", opset: 23, op: "Attention", inputs: four,
			want: []string{"FLOAT[b,4,s,8]", "FLOAT[b,2,t,16]", "FLOAT[b,2,t,8]", "FLOAT[b,4,s,t]"}, macs: "b*4*s*t*(16 + 8)"},
		{clause: "rank 3 and a cache", opset: 24, op: "Attention", attrs: attrs(num("q_num_heads", 4), num("kv_num_heads", 2)),
			inputs: []layerInput{of("b", "s", 64), of("b", "s", 32), of("b", "s", 16), none, of("b", 2, "p", 16), of("b", 2, "p", 8)},
			want:   []string{"FLOAT[b,s,32]", "FLOAT[b,2,p + s,16]", "FLOAT[b,2,p + s,8]", "FLOAT[b,4,s,p + s]"}, macs: "b*4*s*(p + s)*24"},
		{clause: "heads for rank 3", opset: 23, op: "Attention", inputs: []layerInput{of("b", "s", 64), of("b", "s", 32), of("b", "s", 16)}, fail: "attribute"},
		{clause: "past_key with past_value", opset: 23, op: "Attention", inputs: append(four[:3:3], none, of("b", 2, "p", 16)), fail: "arity"},
		{clause: "heads divide", opset: 23, op: "Attention", inputs: []layerInput{of("b", 4, "s", 8), of("b", 3, "t", 8), of("b", 3, "t", 8)}, fail: "shape"},
		{clause: "mask broadcasts", opset: 23, op: "Attention", inputs: append(four[:3:3], of(3, 1, "t")), fail: "shape"},
		{clause: "state of fixed size", opset: 27, op: "LinearAttention", attrs: attrs(num("q_num_heads", 4), num("kv_num_heads", 2), str("update_rule", "delta")),
			inputs: []layerInput{of("b", "t", 64), of("b", "t", 32), of("b", "t", 16), none, none, of("b", "t", 2)},
			want:   []string{"FLOAT[b,t,32]", "FLOAT[b,2,16,8]"}, macs: "b*t*(2 + 4 + 2)*16*8"},
		{clause: "like past_cache", opset: 24, op: "TensorScatter", inputs: []layerInput{of("b", 2, 100, 8), of("b", 2, "s", 8)}, want: []string{"FLOAT[b,2,100,8]"}},
		// 16 channels are 8 pairs; of 4 rotated ones 2.
		{clause: "a number for each pair", opset: 23, op: "RotaryEmbedding", inputs: []layerInput{of("b", 4, "s", 16), of(100, 16), of(100, 16), typed(onnxgraph.Int64, "b", "s")}, fail: "shape"},
		{clause: "rotates a part", opset: 23, op: "RotaryEmbedding", inputs: []layerInput{of("b", 4, "s", 16), of("b", "s", 2), of("b", "s", 2)}, attrs: attrs(num("rotary_embedding_dim", 4)), want: []string{"FLOAT[b,4,s,16]"}},
		{clause: "as many sines as cosines", opset: 23, op: "RotaryEmbedding", inputs: []layerInput{of("b", 4, "s", 16), of(100, 8), of(50, 8), typed(onnxgraph.Int64, "b", "s")}, fail: "shape"},
		{clause: "position ids of another length", opset: 23, op: "RotaryEmbedding", inputs: []layerInput{of(2, 4, 3, 16), of(100, 8), of(100, 8), typed(onnxgraph.Int64, 2, 5)}, fail: "shape"},
		{clause: "one length an entry of the batch", opset: 24, op: "Attention", inputs: []layerInput{of(2, 4, 5, 8), of(2, 4, 6, 8), of(2, 4, 6, 8), none, none, none, typed(onnxgraph.Int64, 1)}, fail: "shape"},
		{clause: "like X", opset: 23, op: "RotaryEmbedding", inputs: []layerInput{of("b", 4, "s", 16), of(100, 8), of(100, 8), typed(onnxgraph.Int64, "b", "s")}, want: []string{"FLOAT[b,4,s,16]"}},
		{clause: "state of k - 1", opset: 27, op: "CausalConvWithState", inputs: []layerInput{of("b", 8, "l"), of(8, 1, 4)}, want: []string{"FLOAT[b,8,l]", "FLOAT[b,8,3]"}, macs: "b*8*l*4"},
	})
}

func TestFourierTransforms(t *testing.T) {
	num := modeltest.Int
	runLayers(t, []layerCase{
		{clause: "one-sided", opset: 17, op: "DFT", inputs: []layerInput{of("b", "n", 1)}, attrs: attrs(num("onesided", 1)), want: []string{"FLOAT[b;floor(n/2) + 1;2]"}},
		{clause: "default axis -2", opset: 20, op: "DFT", inputs: []layerInput{of("b", "n", "m", 1), scalar(16)}, want: []string{"FLOAT[b,n,16,2]"}},
		{clause: "inverse of a one-sided spectrum is real", opset: 20, op: "DFT", inputs: []layerInput{of("b", "n", 2)}, attrs: attrs(num("onesided", 1), num("inverse", 1)), want: []string{"FLOAT[b,2*n - 2,1]"}},
		{clause: "an axis that the run decides", opset: 20, op: "DFT", inputs: []layerInput{of("b", "n", 1), none, typed(onnxgraph.Int64)}, want: []string{"FLOAT[b,n,2]"}},
		{clause: "the last axis is no signal", opset: 17, op: "DFT", inputs: []layerInput{of("b", "n", 1)}, attrs: attrs(num("axis", 2)), fail: "attribute"},
		// floor((n - 400)/160) + 1 frames, 400/2 + 1 bins.
		{clause: "frame length from the window", opset: 17, op: "STFT", inputs: []layerInput{of("b", "n", 1), scalar(160), of(400)}, want: []string{"FLOAT[b;floor((n - 400)/160) + 1;201;2]"}},
		{clause: "a signal of three parts", opset: 17, op: "STFT", inputs: []layerInput{of("b", 100, 3), scalar(10), none, scalar(20)}, attrs: attrs(num("onesided", 0)), fail: "shape"},
		{clause: "two-sided", opset: 17, op: "STFT", inputs: []layerInput{of("b", 100, 2), scalar(10), none, scalar(20)}, attrs: attrs(num("onesided", 0)), want: []string{"FLOAT[b,9,20,2]"}},
		{clause: "frame_step that the run decides", opset: 17, op: "STFT", inputs: []layerInput{of("b", "n", 1), typed(onnxgraph.Int64), of(400)}, want: []string{"FLOAT[b,?,201,2]"}},
	})
}
