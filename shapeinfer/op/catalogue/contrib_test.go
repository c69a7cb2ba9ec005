package catalogue_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

// The clauses are those of the operators' documentation
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md);
// counts of multiply-accumulates are worked out beside each case.

// in returns attributes of a node of that domain.
func in(domain string, list ...modeltest.NodeOption) []modeltest.NodeOption {
	return append(list, modeltest.Domain(domain))
}

func ms(list ...modeltest.NodeOption) []modeltest.NodeOption { return in("com.microsoft", list...) }

func int32s(values ...int32) layerInput {
	return layerInput{dims: []any{int64(len(values))}, values: values}
}

func TestContribAttention(t *testing.T) {
	num := modeltest.Int
	x, w := of("b", "s", 768), of(768, 2304)
	half := onnxgraph.Float16
	past := typed(half, "b", 8, "p", 64)
	total, lengths := typed(onnxgraph.Int32), typed(onnxgraph.Int32, "b")
	runLayers(t, []layerCase{
		// Projection b*s*768*2304, both products 2 * b*s * s * 768.
		{clause: "v_hidden is a third of the weights", opset: 17, op: "Attention", inputs: []layerInput{x, w, of(2304)}, attrs: ms(num("num_heads", 12)),
			want: []string{"FLOAT[b,s,768]", "FLOAT[2,b,12,s,64]"}, macs: "b*s*1769472 + b*s*s*1536"},
		{clause: "total is past and new", opset: 17, op: "Attention", inputs: []layerInput{x, w, of(2304), none, of(2, "b", 12, "p", 64)}, attrs: ms(num("num_heads", 12)),
			want: []string{"FLOAT[b,s,768]", "FLOAT[2,b,12,p + s,64]"}, macs: "b*s*1769472 + b*s*(p + s)*1536"},
		{clause: "a shared buffer keeps its size", opset: 17, op: "Attention", inputs: []layerInput{x, w, of(2304), none, of(2, "b", 12, "m", 64), none, int32s(5)}, attrs: ms(num("num_heads", 12), num("past_present_share_buffer", 1)),
			want: []string{"FLOAT[b,s,768]", "FLOAT[2,b,12,m,64]"}, macs: "b*s*1769472 + b*s*(s + 5)*1536"},
		{clause: "a third of the weights", opset: 17, op: "Attention", inputs: []layerInput{x, of(768, 2305)}, attrs: ms(num("num_heads", 12)), fail: "shape"},
		{clause: "input size and rows", opset: 17, op: "Attention", inputs: []layerInput{of("b", "s", 512), w}, attrs: ms(num("num_heads", 12)), fail: "shape"},

		// s queries by p + t keys, 16 channels of 4 heads, values 32.
		{clause: "v_hidden of its own", opset: 17, op: "MultiHeadAttention", inputs: []layerInput{of("b", "s", 64), of("b", "t", 64), of("b", "t", 128), none, none, none, of("b", 4, "p", 16), of("b", 4, "p", 32)}, attrs: ms(num("num_heads", 4)),
			want: []string{"FLOAT[b,s,128]", "FLOAT[b,4,p + t,16]", "FLOAT[b,4,p + t,32]"}, macs: "b*4*s*(p + t)*48"},
		{clause: "K and V packed", opset: 17, op: "MultiHeadAttention", inputs: []layerInput{of("b", "s", 64), of("b", "t", 4, 2, 16)}, attrs: ms(num("num_heads", 4)), want: []string{"FLOAT[b,s,64]"}, macs: "b*4*s*t*32"},
		{clause: "length of K and V", opset: 17, op: "MultiHeadAttention", inputs: []layerInput{of(1, 2, 64), of(1, 3, 64), of(1, 4, 64)}, attrs: ms(num("num_heads", 4)), fail: "shape"},
		{clause: "num_heads divides", opset: 17, op: "MultiHeadAttention", inputs: []layerInput{of(1, 2, 64), of(1, 3, 64), of(1, 3, 64)}, attrs: ms(num("num_heads", 5)), fail: "shape"},

		{clause: "without a cache all keys are new", opset: 17, op: "GroupQueryAttention", inputs: []layerInput{of("b", "s", 512), of("b", "s", 128), of("b", "s", 128), none, none, lengths, total}, attrs: ms(num("num_heads", 8), num("kv_num_heads", 2)),
			want: []string{"FLOAT[b,s,512]", "FLOAT[b,2,s,64]", "FLOAT[b,2,s,64]"}, macs: "b*8*s*s*128"},
		{clause: "heads of the cache", opset: 17, op: "GroupQueryAttention", inputs: []layerInput{typed(half, "b", 1, 768), none, none, past, past, lengths, total}, attrs: ms(num("num_heads", 8), num("kv_num_heads", 2)), fail: "shape"},
		{clause: "a cache of unknown length", opset: 17, op: "GroupQueryAttention", inputs: []layerInput{typed(half, "b", 1, 1536), none, none, past, past, lengths, total}, attrs: ms(num("num_heads", 8), num("kv_num_heads", 8)),
			want: []string{"FLOAT16[b,1,512]", "FLOAT16[b,8,out1_dim2,64]", "FLOAT16[b,8,out1_dim2,64]"}},
		{clause: "the longer of cache and total", opset: 17, op: "GroupQueryAttention", inputs: []layerInput{typed(half, "b", 1, 1536), none, none, past, past, lengths, int32s(9)}, attrs: ms(num("num_heads", 8), num("kv_num_heads", 8)),
			want: []string{"FLOAT16[b,1,512]", "FLOAT16[b;8;max(p, 9);64]", "FLOAT16[b;8;max(p, 9);64]"}, macs: "b*8*9*128"},
		{clause: "a window keeps its size", opset: 17, op: "GroupQueryAttention", inputs: []layerInput{typed(half, "b", 1, 1536), none, none, past, past, lengths, total}, attrs: ms(num("num_heads", 8), num("kv_num_heads", 8), num("sliding_window_cache", 1), num("local_window_size", 4)),
			want: []string{"FLOAT16[b,1,512]", "FLOAT16[b,8,p,64]", "FLOAT16[b,8,p,64]"}},
		{clause: "kv_num_heads divides", opset: 17, op: "GroupQueryAttention", inputs: []layerInput{of(1, 1, 512), of(1, 1, 128), of(1, 1, 128), none, none, int32s(0), int32s(1)}, attrs: ms(num("num_heads", 8), num("kv_num_heads", 3)), fail: "attribute"},

		// Queries and keys are projected once, 2 * 16 * 16 and 16 * 32 a token.
		{clause: "static keys in the cache", opset: 17, op: "DecoderAttention", inputs: []layerInput{of("s", "b", 16), of("t", "b", 16), of(16, 16), of(16, 32), of(48), none, of("b", 4, "p", 4), of("b", 4, "p", 4), flag(true), flag(true), flag(true), flag(false)}, attrs: ms(num("num_heads", 4)),
			want: []string{"FLOAT[s,b,16]", "FLOAT[b,4,p,4]", "FLOAT[b,4,p,4]"}, macs: "256*s*b + 32*s*b*p"},
		{clause: "latent values are narrower", opset: 17, op: "PagedAttention", inputs: []layerInput{typed(half, "t", 1152), typed(half, "t", 576), none, typed(half, 6, 16, 1, 576), none, int32s(0, 3), int32s(0), typed(onnxgraph.Int32, 1, 3)}, attrs: ms(num("num_heads", 2), num("kv_num_heads", 1), modeltest.String("kv_cache_layout", "LATENT"), num("v_head_size", 512)),
			want: []string{"FLOAT16[t,1024]", "FLOAT16[6,16,1,576]"}},
	})
}

func flag(v bool) layerInput { return layerInput{dims: []any{int64(1)}, values: []bool{v}} }

func TestContribProducts(t *testing.T) {
	num := modeltest.Int
	u8, half := onnxgraph.Uint8, onnxgraph.Float16
	runLayers(t, []layerCase{
		{clause: "last axes exchanged", opset: 17, op: "FusedMatMul", inputs: []layerInput{of("b", 12, "s", 64), of("b", 12, "t", 64)}, attrs: ms(num("transB", 1)), want: []string{"FLOAT[b,12,s,t]"}, macs: "b*12*s*t*64"},
		{clause: "the first axis behind the batch", opset: 17, op: "FusedMatMul", inputs: []layerInput{of("s", "b", 64), of("b", 64, 5)}, attrs: ms(num("transBatchA", 1)), want: []string{"FLOAT[b,s,5]"}, macs: "b*s*320"},
		{clause: "inner dims", opset: 17, op: "FusedMatMul", inputs: []layerInput{of(3, 4), of(4, 5)}, attrs: ms(num("transA", 1)), fail: "shape"},
		{clause: "K of A", opset: 17, op: "MatMulNBits", inputs: []layerInput{of("b", 64), typed(u8, 32, 2, 16), of(32, 2)}, attrs: ms(num("K", 64), num("N", 32), num("block_size", 32)), want: []string{"FLOAT[b,32]"}, macs: "2048*b"},
		{clause: "another K", opset: 17, op: "MatMulNBits", inputs: []layerInput{of("b", 65), typed(u8, 32, 2, 16), of(32, 2)}, attrs: ms(num("K", 64), num("N", 32), num("block_size", 32)), fail: "shape"},
		{clause: "an omitted projection", opset: 17, op: "MatMulNBits", inputs: []layerInput{of("b", 64), typed(u8, 0, 2, 16), of(32, 2)}, attrs: ms(num("K", 64), num("N", 32), num("block_size", 32)), want: []string{"FLOAT[b,32]"}, macs: "0"},
		// Base 64 x 8, adapter 64 x 4 and 4 x 8.
		{clause: "base and adapter", opset: 17, op: "MatMulNBitsQLoRA", inputs: []layerInput{of("b", 64), typed(u8, 8, 2, 16), of(8, 2), typed(u8, 4, 2, 16), of(4, 2), typed(u8, 8, 1, 16), of(8, 1)}, attrs: ms(num("K", 64), num("N", 8)), want: []string{"FLOAT[b,8]"}, macs: "b*(512 + 256 + 32)"},
		{clause: "Q and twice K and V", opset: 17, op: "MatMulNBitsQkv", inputs: []layerInput{of("b", 64), none, of(64), typed(u8, 32, 2, 16), of(32, 2), none, typed(u8, 16, 2, 16), of(16, 2), none, typed(u8, 16, 2, 16), of(16, 2)}, attrs: ms(num("K", 64), num("Nq", 32), num("Nkv", 16), num("block_size", 32)),
			want: []string{"FLOAT[b,32]", "FLOAT[b,16]", "FLOAT[b,16]"}, macs: "b*64*64"},
		{clause: "the shape decides", opset: 17, op: "MatMulFpQ4", inputs: []layerInput{of("b", 64), typed(u8, 1280), typed(onnxgraph.Int64, 2)}, attrs: ms(), want: []string{"FLOAT[b,?]"}},
		// k = 2 experts, each 16 x 8 and 8 x 16, for b*s tokens.
		{clause: "k experts a token", opset: 17, op: "MoE", inputs: []layerInput{of("b", "s", 8), of("t", 4), of(4, 16, 8), none, of(4, 8, 16)}, attrs: ms(num("k", 2)), want: []string{"FLOAT[b,s,8]"}, macs: "b*s*512"},
		// As above with the weights packed in halves of a byte.
		{clause: "packed experts", opset: 17, op: "QMoE", inputs: []layerInput{of("b", "s", 8), of("t", 4), typed(u8, 4, 16, 4), of(4, 16), none, typed(u8, 4, 8, 8), of(4, 8)}, attrs: ms(num("k", 2), num("expert_weight_bits", 4)), want: []string{"FLOAT[b,s,8]"}, macs: "b*s*512"},
		{clause: "router and shared expert", opset: 17, op: "RouterGateUpProj", inputs: []layerInput{typed(half, "b", 16), typed(half, 16, 29)}, attrs: ms(num("router_size", 4)), want: []string{"FLOAT[b,4]", "FLOAT[b,12]"}, fail: "shape"},
	})
}

func TestContribImages(t *testing.T) {
	num, ints, str := modeltest.Int, modeltest.Ints, modeltest.String
	u8 := onnxgraph.Uint8
	nhwc := func(list ...modeltest.NodeOption) []modeltest.NodeOption {
		return in("com.ms.internal.nhwc", list...)
	}
	nchwc := func(list ...modeltest.NodeOption) []modeltest.NodeOption { return in("com.microsoft.nchwc", list...) }
	runLayers(t, []layerCase{
		// 3x3 over 3 channels for each of 8 filters at (h-2)(w-2) places.
		{clause: "channels last", opset: 17, op: "NhwcConv", inputs: []layerInput{of("n", "h", "w", 3), of(8, 3, 3, 3)}, attrs: ms(), want: []string{"FLOAT[n,h - 2,w - 2,8]"}, macs: "n*(h - 2)*(w - 2)*216"},
		{clause: "channels are compared", opset: 17, op: "NhwcConv", inputs: []layerInput{of(1, 8, 8, 4), of(8, 3, 3, 3)}, attrs: ms(), fail: "shape"},
		{clause: "pads take away", opset: 17, op: "ConvTransposeWithDynamicPads", inputs: []layerInput{of("n", 2, "h"), of(2, 3, 3), vector[int64](1, 0)}, attrs: ms(ints("strides", 2)), want: []string{"FLOAT[n,3,2*h]"}, macs: "n*2*h*9"},
		{clause: "unknown pads", opset: 17, op: "ConvTransposeWithDynamicPads", inputs: []layerInput{of("n", 2, "h"), of(2, 3, 3), typed(onnxgraph.Int64, 2)}, attrs: ms(), want: []string{"FLOAT[n,3,?]"}},
		{clause: "channels_last", opset: 17, op: "QLinearAveragePool", inputs: []layerInput{typed(u8, "n", "h", "w", 5), of(), typed(u8), of(), typed(u8)}, attrs: ms(ints("kernel_shape", 2, 3), num("channels_last", 1)), want: []string{"UINT8[n,h - 1,w - 2,5]"}},

		{clause: "12 channels are one block of 16 or two of 8", opset: 17, op: "ReorderInput", inputs: []layerInput{of("n", 12, "h", "w")}, attrs: nchwc(), want: []string{"FLOAT[n,16,h,w]"}},
		{clause: "20 channels depend on the block", opset: 17, op: "ReorderInput", inputs: []layerInput{of("n", "h", "w", 20)}, attrs: nchwc(num("channels_last", 1)), want: []string{"FLOAT[n,?,h,w]"}},
		{clause: "channels that count", opset: 17, op: "ReorderOutput", inputs: []layerInput{of("n", 32, "h", "w")}, attrs: nchwc(num("channels", 20), num("channels_last", 1)), want: []string{"FLOAT[n,h,w,20]"}},
		{clause: "filters of whole blocks", opset: 17, op: "Conv", inputs: []layerInput{of("n", 16, "h", "w"), of(32, 16, 1, 1)}, attrs: nchwc(ints("kernel_shape", 1, 1)), want: []string{"FLOAT[n,32,h,w]"}, macs: "n*h*w*512"},
		{clause: "whole numbers", opset: 17, op: "Upsample", inputs: []layerInput{of("n", 16, "h", "w")}, attrs: nchwc(ints("scales", 1, 1, 2, 3)), want: []string{"FLOAT[n,16,2*h,3*w]"}},

		{clause: "stride*(in - 1) + kernel", opset: 11, op: "ConvTranspose", inputs: []layerInput{of("n", "h", "w", 2), of(2, 3, 2, 2)}, attrs: nhwc(ints("strides", 2, 2)), want: []string{"FLOAT[n,2*h,2*w,3]"}, macs: "n*h*w*24"},
		{clause: "in order of the axes", opset: 13, op: "Resize", inputs: []layerInput{of("n", "h", "w", 3), none, vector[float32](1, 2, 2, 1)}, attrs: nhwc(), want: []string{"FLOAT[n,2*h,2*w,3]"}},
		{clause: "indices are turned too", opset: 11, op: "MaxUnpool", inputs: []layerInput{of("n", "h", "w", 3), typed(onnxgraph.Int64, "n", "h", "w", 3)}, attrs: nhwc(ints("kernel_shape", 2, 2), ints("strides", 2, 2)), want: []string{"FLOAT[n,2*h,2*w,3]"}},
		{clause: "blocks of the last axis", opset: 13, op: "DepthToSpace", inputs: []layerInput{of("n", "h", "w", 8)}, attrs: nhwc(num("blocksize", 2), str("mode", "CRD")), want: []string{"FLOAT[n,2*h,2*w,2]"}},
		{clause: "statistics of the last axis", opset: 15, op: "BatchNormalization", inputs: []layerInput{of("n", "h", "w", 4), of(5), of(5), of(5), of(5)}, attrs: nhwc(), fail: "shape"},
	})
}

func TestContribStates(t *testing.T) {
	num, str := modeltest.Int, modeltest.String
	csa := func(list ...modeltest.NodeOption) []modeltest.NodeOption {
		return ms(append(list, str("policy_mode", "csa"), num("compress_ratio", 4), num("index_topk", 6))...)
	}
	indexer := func(buffered any) []layerInput {
		return []layerInput{of("b", 5, 32), of("b", 5, 16), of(8), of(8), of(64, 4), of(64, 4), none, of("b", "p", 8), of("b", 5, 16), of(4, 16), of("b", 5, 4),
			typed(onnxgraph.Int64, "b", 5), none, of(2, "b", buffered, 16)}
	}
	runLayers(t, []layerCase{
		{clause: "(k - 1)*dilation positions", opset: 17, op: "CausalConvWithState", inputs: []layerInput{of("b", 4, "l"), of(4, 1, 3)}, attrs: ms(num("dilation", 2)), want: []string{"FLOAT[b,4,l]", "FLOAT[b,4,4]"}, macs: "12*b*l"},
		{clause: "a window of states", opset: 17, op: "CausalConvWithState", inputs: []layerInput{of("b", "l", 2, 3), of(6, 1, 3)}, attrs: ms(num("channels_last", 1), num("state_window", 3)), want: []string{"FLOAT[b,l,2,3]", "FLOAT[3,b,2,2,3]"}},
		// Per token and head of 4: outer product, query and key with 16 x 32.
		{clause: "heads of the greater side", opset: 17, op: "LinearAttention", inputs: []layerInput{of("b", "t", 32), of("b", "t", 32), of("b", "t", 128), none, of("b", "t", 4), of("b", "t", 4)}, attrs: ms(num("q_num_heads", 2), num("kv_num_heads", 4)),
			want: []string{"FLOAT[b,t,128]", "FLOAT[b,4,16,32]"}, macs: "b*t*12*512"},
		{clause: "the state tells sizes of packed input", opset: 17, op: "GatedDeltaNet", inputs: []layerInput{of("t", 48), none, none, none, of("t", 4), of("t", 4), of("b", 4, 8, 4)}, attrs: ms(), want: []string{"FLOAT[t,4,8]", "FLOAT[b,4,8,4]"}, macs: "t*4*3*32"},
		// 5 new tokens beside 3 buffered ones close two windows of 4.
		{clause: "windows close", opset: 17, op: "SparseAttentionIndexer", inputs: indexer(3), attrs: csa(), want: []string{"INT32[b,5,6]", "FLOAT[b,p + 2,8]", "FLOAT[2,b,4,16]"}},
		// 4 of 6 are a closed window: 2 + 5 tokens close one and leave 3.
		{clause: "the closed window stays", opset: 17, op: "SparseAttentionIndexer", inputs: indexer(6), attrs: csa(), want: []string{"INT32[b,5,6]", "FLOAT[b,p + 1,8]", "FLOAT[2,b,7,16]"}},
		{clause: "streams flat", opset: 17, op: "HyperConnectionPreMix", inputs: []layerInput{of("b", "s", 32), of("b", "s", 4)}, attrs: ms(num("num_branches", 4)), want: []string{"FLOAT[b,s,8]"}},
		{clause: "streams apart", opset: 17, op: "HyperConnectionPreMix", inputs: []layerInput{of("b", "s", 4, "h"), of("b", "s", 4)}, attrs: ms(), want: []string{"FLOAT[b,s,h]"}},
	})
}

func TestContribShapes(t *testing.T) {
	num, str := modeltest.Int, modeltest.String
	u8 := onnxgraph.Uint8
	aten := func(name string) []modeltest.NodeOption {
		return in("org.pytorch.aten", str("operator", name))
	}
	runLayers(t, []layerCase{
		{clause: "two values a byte on the last axis", opset: 17, op: "GatherBlockQuantized", inputs: []layerInput{typed(u8, "v", 16), typed(onnxgraph.Int64, "b", "s"), of("v", 2)}, attrs: ms(num("block_size", 16)), want: []string{"FLOAT[b,s,32]"}},
		{clause: "packed data on axis 0 only", opset: 17, op: "GatherBlockQuantized", inputs: []layerInput{typed(u8, 4, 16), typed(onnxgraph.Int64, "b"), of(4, 2)}, attrs: ms(num("gather_axis", 1), num("quantize_axis", 0)), fail: "attribute"},
		{clause: "n/2 + 1 numbers of two parts", opset: 17, op: "Rfft", inputs: []layerInput{of("b", "n")}, attrs: ms(num("signal_ndim", 1)), want: []string{"FLOAT[b;floor(n/2) + 1;2]"}},
		{clause: "2*(m - 1) reals", opset: 17, op: "Irfft", inputs: []layerInput{of("b", "m", 2)}, attrs: ms(num("signal_ndim", 1)), want: []string{"FLOAT[b,2*m - 2]"}},
		{clause: "two parts", opset: 17, op: "Irfft", inputs: []layerInput{of("b", "m", 3)}, attrs: ms(num("signal_ndim", 1)), fail: "shape"},
		{clause: "slices a step apart", opset: 17, op: "UnfoldTensor", inputs: []layerInput{of("b", "n")}, attrs: ms(num("size", 4), num("step", 2)), want: []string{"FLOAT[b;floor(n/2) - 1;4]"}},
		{clause: "a slice too long", opset: 17, op: "UnfoldTensor", inputs: []layerInput{of("b", 3)}, attrs: ms(num("size", 4)), fail: "shape"},
		{clause: "32 elements a word", opset: 17, op: "BitmaskDropout", inputs: []layerInput{of(5, 13)}, attrs: ms(), want: []string{"FLOAT[5,13]", "UINT32[3]"}},
		{clause: "halves of the last axis", opset: 17, op: "SwiGLU", inputs: []layerInput{of("b", 7)}, attrs: ms(), fail: "shape"},
		{clause: "tokens are counted at run time", opset: 17, op: "RemovePadding", inputs: []layerInput{of("b", "s", 8), typed(onnxgraph.Int32, "b")}, attrs: ms(), want: []string{"FLOAT[out0_dim0,8]", "INT32[b,s]", "INT32[b + 1]", "INT32[1]"}},
		{clause: "tokens add up", opset: 17, op: "RemovePadding", inputs: []layerInput{of(2, "s", 8), int32s(3, 4)}, attrs: ms(), want: []string{"FLOAT[7,8]", "INT32[2,s]", "INT32[3]", "INT32[1]"}},
		{clause: "type of scale before opset 17", opset: 12, op: "LayerNormalization", inputs: []layerInput{typed(onnxgraph.Float16, "n", 8), of(8)}, want: []string{"FLOAT[n,8]", "FLOAT[n,1]", "FLOAT[n,1]"}},
		{clause: "rows of weights", opset: 17, op: "ATen", inputs: []layerInput{of(10, "e"), typed(onnxgraph.Int64, "b", "s")}, attrs: aten("embedding"), want: []string{"FLOAT[b,s,e]"}},
		{clause: "axes in reverse", opset: 17, op: "ATen", inputs: []layerInput{of("a", "b", 3)}, attrs: aten("numpy_T"), want: []string{"FLOAT[3,b,a]"}},
		{clause: "sizes of the last axes", opset: 17, op: "ATen", inputs: []layerInput{of("n", "c", "h", "w"), vector[int64](7, 5)}, attrs: aten("adaptive_avg_pool2d"), want: []string{"FLOAT[n,c,7,5]"}},
	})
}

func TestLearnedModels(t *testing.T) {
	num, ints, floats, strs := modeltest.Int, modeltest.Ints, modeltest.Floats, modeltest.Strings
	ml := func(list ...modeltest.NodeOption) []modeltest.NodeOption { return in("ai.onnx.ml", list...) }
	pairs := []modeltest.NodeOption{strs("classlabels_strings", "a", "b", "c", "d"), ints("vectors_per_class", 1, 1, 1, 1),
		floats("support_vectors", 1, 2, 3, 4, 5, 6, 7, 8), floats("coefficients", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), floats("rho", 1, 2, 3, 4, 5, 6)}
	runLayers(t, []layerCase{
		{clause: "a score for each label", opset: 13, op: "LinearClassifier", inputs: []layerInput{of("n", 2)}, attrs: ml(ints("classlabels_ints", 4, 5), floats("coefficients", 1, 2)), want: []string{"INT64[n]", "FLOAT[n,2]"}},
		{clause: "one row", opset: 13, op: "LinearRegressor", inputs: []layerInput{of(2)}, attrs: ml(num("targets", 3), floats("coefficients", 1, 2, 3, 4, 5, 6)), want: []string{"FLOAT[1,3]"}, macs: "6"},
		// 4*3/2 pairs; 8 products with the vectors, 12 with the coefficients.
		{clause: "raw scores of pairs", opset: 13, op: "SVMClassifier", inputs: []layerInput{of("n", 2)}, attrs: ml(pairs...), want: []string{"STRING[n]", "FLOAT[n,6]"}, macs: "20*n"},
		{clause: "probabilities of classes", opset: 13, op: "SVMClassifier", inputs: []layerInput{of("n", 2)}, attrs: ml(append(pairs[:5:5], floats("prob_a", 1, 2, 3, 4, 5, 6), floats("prob_b", 1, 2, 3, 4, 5, 6))...), want: []string{"STRING[n]", "FLOAT[n,4]"}},
		{clause: "a score for each intercept", opset: 13, op: "LinearClassifier", inputs: []layerInput{of("n", 2)}, attrs: ml(ints("classlabels_ints", 4, 5, 6), floats("coefficients", 1, 2, 3, 4), floats("intercepts", 1, 2)), want: []string{"INT64[n]", "FLOAT[n,2]"}},
		{clause: "one intercept for two labels", opset: 13, op: "LinearClassifier", inputs: []layerInput{of("n", 2)}, attrs: ml(ints("classlabels_ints", 4, 5), floats("coefficients", 1, 2), floats("intercepts", 1)), want: []string{"INT64[n]", "FLOAT[n,2]"}},
		{clause: "both kinds of labels", opset: 13, op: "LinearClassifier", inputs: []layerInput{of("n", 2)}, attrs: ml(ints("classlabels_ints", 4, 5), strs("classlabels_strings", "a", "b"), floats("coefficients", 1, 2)), want: []string{"INT64[n]", "FLOAT[n,2]"}, fail: "attribute"},
		{clause: "as wide as inputdimensions", opset: 13, op: "FeatureVectorizer", inputs: []layerInput{of("n", 3), of("n", 4)}, attrs: ml(ints("inputdimensions", 3, 6)), want: []string{"FLOAT[n,9]"}},
		{clause: "labels are the columns", opset: 13, op: "ZipMap", inputs: []layerInput{of("n", 3)}, attrs: ml(ints("classlabels_int64s", 1, 2)), fail: "shape"},
		{clause: "an index for each element", opset: 13, op: "ArrayFeatureExtractor", inputs: []layerInput{of("n", 3), vector[int64](0, 2)}, attrs: ml(), want: []string{"FLOAT[n,2]"}},
		{clause: "keys and values pair", opset: 13, op: "LabelEncoder", inputs: []layerInput{of("n")}, attrs: ml(floats("keys_floats", 1, 2), strs("values_strings", "a")), fail: "attribute"},
	})
}
