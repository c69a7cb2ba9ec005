package catalogue_test

import (
	"math"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

// inputs makes the inputs of a case.
func inputs(list ...layerInput) []layerInput { return list }

func want(types ...string) []string { return types }

func TestLimitedBroadcasting(t *testing.T) {
	num := modeltest.Int
	on := num("broadcast", 1)
	runLayers(t, []layerCase{
		{clause: "equal shapes", opset: 6, op: "Add", inputs: inputs(of("n", 3), of(2, "c")), want: want("FLOAT[2,3]")},
		{clause: "no broadcasting without the attribute", opset: 6, op: "Add", inputs: inputs(of(2, 3), of(3)), fail: "shape"},
		{clause: "a suffix", opset: 6, op: "Mul", inputs: inputs(of(2, 3, 4, 5), of(4, 5)), attrs: attrs(on), want: want("FLOAT[2,3,4,5]")},
		{clause: "axis", opset: 6, op: "Sub", inputs: inputs(of(2, 3, 4, 5), of(3, 4)), attrs: attrs(on, num("axis", 1)), want: want("FLOAT[2,3,4,5]")},
		{clause: "negative axis", opset: 6, op: "Sub", inputs: inputs(of(2, 3, 4, 5), of(3, 4)), attrs: attrs(on, num("axis", -3)), want: want("FLOAT[2,3,4,5]")},
		{clause: "one element", opset: 1, op: "Div", inputs: inputs(of(2, 3), of(1, 1)), attrs: attrs(on), want: want("FLOAT[2,3]")},
		{clause: "axis past the end", opset: 6, op: "Add", inputs: inputs(of(2, 3), of(3)), attrs: attrs(on, num("axis", 2)), fail: "attribute"},
		{clause: "a dim that differs", opset: 6, op: "Add", inputs: inputs(of(2, 3, 4), of(4)), attrs: attrs(on, num("axis", 1)), fail: "shape"},
		{clause: "only the second one is repeated", opset: 6, op: "Add", inputs: inputs(of(4), of(3, 4)), attrs: attrs(on), fail: "shape"},
		{clause: "comparisons too", opset: 1, op: "Greater", inputs: inputs(of(2, 3), of(2)), attrs: attrs(on, num("axis", 0)), want: want("BOOL[2,3]")},
		{clause: "powers too", opset: 1, op: "Pow", inputs: inputs(of(2, 3), of()), attrs: attrs(on), want: want("FLOAT[2,3]")},
		{clause: "sums ask for equal shapes", opset: 6, op: "Sum", inputs: inputs(of(2, 3), of(2, 1)), fail: "shape"},
		{clause: "what any shape knows", opset: 6, op: "Max", inputs: inputs(of("n", 3), of("n", "c"), of(2, "d")), want: want("FLOAT[2,3]")},
	})
}

func TestBroadcasting(t *testing.T) {
	runLayers(t, []layerCase{
		{clause: "multidirectional", opset: 7, op: "Add", inputs: inputs(of("n", 1, 5), of(4, 1)), want: want("FLOAT[n,4,5]")},
		{clause: "a number above one decides", opset: 14, op: "Mul", inputs: inputs(of("n"), of(7)), want: want("FLOAT[7]")},
		{clause: "dims that do not meet", opset: 14, op: "Mul", inputs: inputs(of(2, 3), of(4)), fail: "shape"},
		{clause: "sums from 8 on", opset: 8, op: "Sum", inputs: inputs(of("n", 1), of(3), of(1, 1)), want: want("FLOAT[n,3]")},
		{clause: "the base's type", opset: 12, op: "Pow", inputs: inputs(of("n"), typed(onnxgraph.Int64, 1)), want: want("FLOAT[n]")},
		{clause: "three ways", opset: 9, op: "Where", inputs: inputs(typed(onnxgraph.Bool, "n", 1), of(3), of()), want: want("FLOAT[n,3]")},
		{clause: "the slope goes to the input", opset: 9, op: "PRelu", inputs: inputs(of("n", 3, 4), of(3, 1)), want: want("FLOAT[n,3,4]")},
		{clause: "the input does not go to the slope", opset: 9, op: "PRelu", inputs: inputs(of(1), of(3)), fail: "shape"},
		{clause: "equal shapes", opset: 28, op: "SwiGLU", inputs: inputs(of("n", 4), of("n", "d")), want: want("FLOAT[n,4]")},
		{clause: "no broadcasting", opset: 28, op: "SwiGLU", inputs: inputs(of(2, 4), of(2, 1)), fail: "shape"},
	})
}

func TestReductions(t *testing.T) {
	num, axes := modeltest.Int, func(list ...int64) modeltest.NodeOption { return modeltest.Ints("axes", list...) }
	image := of("n", 3, "h", 1)
	runLayers(t, []layerCase{
		{clause: "all axes", opset: 1, op: "ReduceMean", inputs: inputs(image), want: want("FLOAT[1,1,1,1]")},
		{clause: "keepdims 0", opset: 11, op: "ReduceMean", inputs: inputs(image), attrs: attrs(axes(1, -1), num("keepdims", 0)), want: want("FLOAT[n,h]")},
		{clause: "axis past the rank", opset: 13, op: "ReduceMax", inputs: inputs(image), attrs: attrs(axes(4)), fail: "attribute"},
		{clause: "axes as input", opset: 18, op: "ReduceL2", inputs: inputs(image, vector[int64](2)), want: want("FLOAT[n,3,1,1]")},
		{clause: "empty axes", opset: 18, op: "ReduceL2", inputs: inputs(image, vector[int64]()), attrs: attrs(num("keepdims", 0)), want: want("FLOAT[]")},
		{clause: "noop_with_empty_axes", opset: 18, op: "ReduceL2", inputs: inputs(image, vector[int64]()), attrs: attrs(num("noop_with_empty_axes", 1)), want: want("FLOAT[n,3,h,1]")},
		{clause: "axes known at run time keep the rank", opset: 18, op: "ReduceL2", inputs: inputs(image, typed(onnxgraph.Int64, "k")), want: want("FLOAT[?,?,?,1]")},
		{clause: "the number of axes is known", opset: 18, op: "ReduceL2", inputs: inputs(image, typed(onnxgraph.Int64, 3)), attrs: attrs(num("keepdims", 0)), want: want("FLOAT[?]")},
		{clause: "as many axes as dims", opset: 18, op: "ReduceL2", inputs: inputs(image, typed(onnxgraph.Int64, 4)), want: want("FLOAT[1,1,1,1]")},
		{clause: "keepdims is 1 or not", opset: 11, op: "ReduceMean", inputs: inputs(image), attrs: attrs(axes(1), num("keepdims", -1)), want: want("FLOAT[n,h,1]")},
		{clause: "axes are a vector", opset: 18, op: "ReduceL2", inputs: inputs(image, typed(onnxgraph.Int64)), fail: "rank"},
		{clause: "of a scalar", opset: 13, op: "ReduceSum", inputs: inputs(of()), want: want("FLOAT[]")},
		{clause: "INT64 indices", opset: 13, op: "ArgMax", inputs: inputs(image), attrs: attrs(num("axis", -2), num("keepdims", 0)), want: want("INT64[n,3,1]")},
		{clause: "axis 0 by default", opset: 1, op: "ArgMin", inputs: inputs(image), want: want("INT64[1,3,h,1]")},
		{clause: "axis past the rank", opset: 14, op: "CumSum", inputs: inputs(image, scalar(4)), fail: "attribute"},
		{clause: "any axis", opset: 14, op: "CumSum", inputs: inputs(image, typed(onnxgraph.Int64)), want: want("FLOAT[n,3,h,1]")},
		{clause: "axis 1 by default", opset: 11, op: "Softmax", inputs: inputs(of(3)), fail: "attribute"},
		{clause: "a vector in version 1", opset: 1, op: "Softmax", inputs: inputs(of(3)), want: want("FLOAT[3]")},
		{clause: "the last axis by default", opset: 13, op: "LogSoftmax", inputs: inputs(of(3)), want: want("FLOAT[3]")},
		{clause: "no axis in a scalar", opset: 13, op: "Hardmax", inputs: inputs(of()), fail: "attribute"},
	})
}

func TestQuantisation(t *testing.T) {
	num := modeltest.Int
	u8, i8 := onnxgraph.Uint8, onnxgraph.Int8
	runLayers(t, []layerCase{
		{clause: "UINT8 by default", opset: 10, op: "QuantizeLinear", inputs: inputs(of("n", 3), of()), want: want("UINT8[n,3]")},
		{clause: "the zero point's type", opset: 13, op: "QuantizeLinear", inputs: inputs(of("n", 3), of(), typed(i8)), want: want("INT8[n,3]")},
		{clause: "output_dtype", opset: 21, op: "QuantizeLinear", inputs: inputs(of("n", 3), of()), attrs: attrs(num("output_dtype", int64(onnxgraph.Int4))), want: want("INT4[n,3]")},
		{clause: "output_dtype and the zero point agree", opset: 21, op: "QuantizeLinear", inputs: inputs(of("n", 3), of(), typed(i8)), attrs: attrs(num("output_dtype", int64(u8))), fail: "type"},
		{clause: "per axis", opset: 13, op: "QuantizeLinear", inputs: inputs(of("n", 3, 4), of(3)), want: want("UINT8[n,3,4]")},
		{clause: "as many scales as indices", opset: 13, op: "QuantizeLinear", inputs: inputs(of("n", 3, 4), of(4)), fail: "shape"},
		{clause: "one scale in version 10", opset: 10, op: "QuantizeLinear", inputs: inputs(of("n", 3), of(3)), fail: "rank"},
		// ceil(70/32) is 3.
		{clause: "per block", opset: 21, op: "QuantizeLinear", inputs: inputs(of(2, 70), of(2, 3)), attrs: attrs(num("block_size", 32)), want: want("UINT8[2,70]")},
		{clause: "as many scales as blocks", opset: 21, op: "QuantizeLinear", inputs: inputs(of(2, 70), of(2, 2)), attrs: attrs(num("block_size", 32)), fail: "shape"},
		{clause: "zero points like scales", opset: 13, op: "QuantizeLinear", inputs: inputs(of("n", 3), of(3), typed(u8, 2)), fail: "shape"},
		{clause: "FLOAT before 19", opset: 13, op: "DequantizeLinear", inputs: inputs(typed(u8, "n", 3), of()), want: want("FLOAT[n,3]")},
		{clause: "the scale's type", opset: 19, op: "DequantizeLinear", inputs: inputs(typed(u8, "n", 3), typed(onnxgraph.Float16)), want: want("FLOAT16[n,3]")},
		{clause: "output_dtype", opset: 23, op: "DequantizeLinear", inputs: inputs(typed(u8, "n", 3), of()), attrs: attrs(num("output_dtype", int64(onnxgraph.Bfloat16))), want: want("BFLOAT16[n,3]")},
		{clause: "scale and zero point", opset: 11, op: "DynamicQuantizeLinear", inputs: inputs(of("n")), want: want("UINT8[n]", "FLOAT[]", "UINT8[]")},
	})
}

func TestLosses(t *testing.T) {
	reduction := func(how string) []modeltest.NodeOption { return attrs(modeltest.String("reduction", how)) }
	scores, labels := of("n", 5, 7), typed(onnxgraph.Int64, "n", 7)
	runLayers(t, []layerCase{
		{clause: "the mean by default", opset: 13, op: "NegativeLogLikelihoodLoss", inputs: inputs(scores, labels), want: want("FLOAT[]")},
		{clause: "none", opset: 13, op: "NegativeLogLikelihoodLoss", inputs: inputs(scores, labels), attrs: reduction("none"), want: want("FLOAT[n,7]")},
		{clause: "log_prob", opset: 13, op: "SoftmaxCrossEntropyLoss", inputs: inputs(scores, labels), attrs: reduction("sum"), want: want("FLOAT[]", "FLOAT[n,5,7]")},
		{clause: "labels without classes", opset: 13, op: "SoftmaxCrossEntropyLoss", inputs: inputs(of(3, 5), typed(onnxgraph.Int64, 2)), fail: "shape"},
		{clause: "a weight per class", opset: 13, op: "NegativeLogLikelihoodLoss", inputs: inputs(scores, labels, of(4)), fail: "shape"},
		{clause: "scores have classes", opset: 13, op: "NegativeLogLikelihoodLoss", inputs: inputs(of(3), typed(onnxgraph.Int64)), fail: "rank"},
	})
}

func TestGenerators(t *testing.T) {
	num, axes := modeltest.Int, modeltest.Ints
	index := func(dims ...any) layerInput { return typed(onnxgraph.Int64, dims...) }
	runLayers(t, []layerCase{
		{clause: "the mask has the data's type", opset: 7, op: "Dropout", inputs: inputs(of("n")), want: want("FLOAT[n]", "FLOAT[n]")},
		{clause: "the mask is BOOL", opset: 10, op: "Dropout", inputs: inputs(of("n")), want: want("FLOAT[n]", "BOOL[n]")},
		{clause: "known at run time", opset: 11, op: "Range", inputs: inputs(index(), index(), index()), want: want("INT64[out0_dim0]")},
		{clause: "scalars", opset: 11, op: "Range", inputs: inputs(index(2), index(), index()), fail: "shape"},
		{clause: "delta 0", opset: 11, op: "Range", inputs: inputs(scalar(1), scalar(2), scalar(0)), fail: "value"},
		{clause: "sizes known at run time", opset: 9, op: "ConstantOfShape", inputs: inputs(index(2)), want: want("FLOAT[out0_dim0,out0_dim1]")},
		{clause: "negative sizes", opset: 9, op: "ConstantOfShape", inputs: inputs(vector[int64](2, -1)), fail: "value"},
		{clause: "64 bits", opset: 9, op: "ConstantOfShape", inputs: inputs(vector[int64](math.MaxInt64)), fail: "shape"},
		{clause: "the shape is a vector", opset: 9, op: "ConstantOfShape", inputs: inputs(scalar(3)), fail: "rank"},
		{clause: "dtype", opset: 9, op: "EyeLike", inputs: inputs(of("n", 3)), attrs: attrs(num("dtype", 7)), want: want("INT64[n,3]")},
		{clause: "a matrix", opset: 9, op: "EyeLike", inputs: inputs(of(2, 3, 4)), fail: "rank"},
		{clause: "dtype and shape", opset: 1, op: "RandomNormal", attrs: attrs(num("dtype", 11), axes("shape", 2, 3)), want: want("DOUBLE[2,3]")},
		{clause: "the input's type", opset: 1, op: "RandomUniformLike", inputs: inputs(of("n")), want: want("FLOAT[n]")},
		{clause: "dtype", opset: 15, op: "Bernoulli", inputs: inputs(of("n")), attrs: attrs(num("dtype", 9)), want: want("BOOL[n]")},
		{clause: "samples per batch", opset: 7, op: "Multinomial", inputs: inputs(of("n", 9)), attrs: attrs(num("sample_size", 4)), want: want("INT32[n,4]")},
		{clause: "a matrix", opset: 7, op: "Multinomial", inputs: inputs(of(9)), fail: "rank"},
		{clause: "no empty window", opset: 17, op: "HannWindow", inputs: inputs(scalar(0)), fail: "value"},
		{clause: "as long as asked", opset: 17, op: "HannWindow", inputs: inputs(scalar(10)), attrs: attrs(num("output_datatype", 11)), want: want("DOUBLE[10]")},
		// floor(17/2) + 1 is 9.
		{clause: "rows of a one-sided DFT", opset: 17, op: "MelWeightMatrix", inputs: inputs(scalar(8), scalar(17), scalar(8192), of(), of()), want: want("FLOAT[9,8]")},
		{clause: "one value", opset: 12, op: "Constant", attrs: attrs(num("value_int", 1), modeltest.Float("value_float", 1)), fail: "attribute"},
		{clause: "a value", opset: 12, op: "Constant", fail: "attribute"},
		{clause: "to is a type", opset: 13, op: "Cast", inputs: inputs(of("n")), attrs: attrs(num("to", 99)), fail: "attribute"},
		{clause: "equal widths", opset: 26, op: "BitCast", inputs: inputs(of("n")), attrs: attrs(num("to", 7)), fail: "type"},
		{clause: "the same dims", opset: 26, op: "BitCast", inputs: inputs(of("n")), attrs: attrs(num("to", 12)), want: want("UINT32[n]")},
	})
}
