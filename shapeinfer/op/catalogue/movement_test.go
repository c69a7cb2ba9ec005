package catalogue_test

import (
	"math"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

func TestRelabelling(t *testing.T) {
	num, ints := modeltest.Int, modeltest.Ints
	runLayers(t, []layerCase{
		// 0 copies the 0 in front: 0*1*3 elements are none, as before.
		{clause: "no elements have many shapes", opset: 14, op: "Reshape", inputs: []layerInput{of(0, 2), vector[int64](0, 1, 3)}, want: []string{"FLOAT[0,1,3]"}},
		{clause: "elements from none", opset: 14, op: "Reshape", inputs: []layerInput{of(0, 2), vector[int64](1, 3)}, fail: "shape"},
		{clause: "0 copies, the rest are literal", opset: 14, op: "Reshape", inputs: []layerInput{of("b", "s", 768), vector[int64](0, 0, 12, 64)}, want: []string{"FLOAT[b,s,12,64]"}},
		{clause: "copied dims count for -1", opset: 14, op: "Reshape", inputs: []layerInput{of("b", "s", 12, 64), vector[int64](0, 0, -1)}, want: []string{"FLOAT[b,s,768]"}},
		{clause: "a copied dim may be unknown", opset: 14, op: "Reshape", inputs: []layerInput{of(nil, 6, 4), vector[int64](0, -1)}, want: []string{"FLOAT[in0_dim0,24]"}},
		// 100 n elements in rows of 64: n is such that it divides.
		{clause: "-1 is exact", opset: 14, op: "Reshape", inputs: []layerInput{of("n", 100), vector[int64](-1, 64)}, want: []string{"FLOAT[25*n/16,64]"}},
		{clause: "to a scalar", opset: 14, op: "Reshape", inputs: []layerInput{of(1, 1), vector[int64]()}, want: []string{"FLOAT[]"}},
		{clause: "an attribute in version 1", opset: 1, op: "Reshape", inputs: []layerInput{of(2, 3, 4)}, attrs: attrs(ints("shape", 0, -1)), want: []string{"FLOAT[2,12]"}},
		{clause: "allowzero", opset: 14, op: "Reshape", inputs: []layerInput{of("n", 3), vector[int64](0, 5)}, attrs: attrs(num("allowzero", 1)), want: []string{"FLOAT[0,5]"}},
		{clause: "allowzero does not go with -1", opset: 14, op: "Reshape", inputs: []layerInput{of("n", 3), vector[int64](0, -1)}, attrs: attrs(num("allowzero", 1)), fail: "shape"},
		{clause: "no allowzero before 14", opset: 13, op: "Reshape", inputs: []layerInput{of("n", 3), vector[int64](0, -1)}, want: []string{"FLOAT[n,3]"}},
		{clause: "at most one -1", opset: 14, op: "Reshape", inputs: []layerInput{of(2, 3), vector[int64](-1, -1)}, fail: "shape"},
		{clause: "numbers of elements agree", opset: 14, op: "Reshape", inputs: []layerInput{of(2, 3), vector[int64](4, 2)}, fail: "shape"},
		{clause: "-1 divides", opset: 14, op: "Reshape", inputs: []layerInput{of(2, 3), vector[int64](4, -1)}, fail: "shape"},
		{clause: "0 beyond the rank", opset: 14, op: "Reshape", inputs: []layerInput{of(6), vector[int64](6, 0)}, fail: "shape"},
		{clause: "below -1", opset: 14, op: "Reshape", inputs: []layerInput{of(6), vector[int64](-2)}, fail: "shape"},
		{clause: "flat whatever the target says", opset: 14, op: "Reshape", inputs: []layerInput{of("a", "b"), typed(onnxgraph.Int64, 1)}, want: []string{"FLOAT[a*b]"}},
		{clause: "two unknown dims hold all elements", opset: 14, op: "Reshape", inputs: []layerInput{of(4, 6), typed(onnxgraph.Int64, 2)}, want: []string{"FLOAT[out0_dim0,24/out0_dim0]"}},

		{clause: "products of both sides", opset: 13, op: "Flatten", inputs: []layerInput{of("a", "b", 3, 4)}, attrs: attrs(num("axis", 2)), want: []string{"FLOAT[a*b,12]"}},
		{clause: "axis 0", opset: 13, op: "Flatten", inputs: []layerInput{of("a", 3)}, attrs: attrs(num("axis", 0)), want: []string{"FLOAT[1,3*a]"}},
		{clause: "axis of the rank", opset: 13, op: "Flatten", inputs: []layerInput{of("a", 3)}, attrs: attrs(num("axis", 2)), want: []string{"FLOAT[3*a,1]"}},
		{clause: "axis past the rank", opset: 13, op: "Flatten", inputs: []layerInput{of("a", 3)}, attrs: attrs(num("axis", 3)), fail: "attribute"},

		{clause: "an empty list where no dim is one", opset: 13, op: "Squeeze", inputs: []layerInput{of(2, 5), typed(onnxgraph.Int64, 0)}, want: []string{"FLOAT[2,5]"}},
		{clause: "an empty list of the attribute", opset: 11, op: "Squeeze", inputs: []layerInput{of(1, 5)}, attrs: attrs(ints("axes")), want: []string{"FLOAT?"}},
		{clause: "an empty list that runtimes read in two ways", opset: 13, op: "Squeeze", inputs: []layerInput{of(1, 5), typed(onnxgraph.Int64, 0)}, want: []string{"FLOAT?"}},
		{clause: "axes are a vector", opset: 13, op: "Unsqueeze", inputs: []layerInput{of(2), typed(onnxgraph.Int64, 1, 1)}, fail: "rank"},
		{clause: "the shape is a vector", opset: 13, op: "Expand", inputs: []layerInput{of(3, 1), typed(onnxgraph.Int64)}, fail: "rank"},
		{clause: "repeats are a vector", opset: 13, op: "Tile", inputs: []layerInput{of(2, 2), typed(onnxgraph.Int64, 2, 1)}, fail: "rank"},
		{clause: "ends are a vector", opset: 13, op: "Slice", inputs: []layerInput{of(5, 6), vector[int64](0, 2), typed(onnxgraph.Int64, 2, 1)}, fail: "rank"},
		{clause: "given axes", opset: 13, op: "Squeeze", inputs: []layerInput{of(1, "n", 1), vector[int64](-1, 0)}, want: []string{"FLOAT[n]"}},
		{clause: "every one", opset: 13, op: "Squeeze", inputs: []layerInput{of(1, 5, 1)}, want: []string{"FLOAT[5]"}},
		{clause: "a dim that is not one", opset: 13, op: "Squeeze", inputs: []layerInput{of(1, 5), vector[int64](1)}, fail: "shape"},
		{clause: "axes of the result", opset: 13, op: "Unsqueeze", inputs: []layerInput{of("n", 5), vector[int64](0, -1)}, want: []string{"FLOAT[1,n,5,1]"}},
		{clause: "an axis twice", opset: 13, op: "Unsqueeze", inputs: []layerInput{of("n", 5), vector[int64](0, -4)}, fail: "attribute"},
		{clause: "reversed without perm", opset: 13, op: "Transpose", inputs: []layerInput{of("a", 3, 4)}, want: []string{"FLOAT[4,3,a]"}},
		{clause: "perm is a permutation", opset: 13, op: "Transpose", inputs: []layerInput{of("a", 3)}, attrs: attrs(ints("perm", 1, 1)), fail: "attribute"},
	})
}

// slicing is a Slice-13 of [n, 4] on axis 0.
func slicing(clause string, start, end, step int64, want string) layerCase {
	return layerCase{clause: clause, opset: 13, op: "Slice", inputs: []layerInput{of("n", 4), vector(start), vector(end), vector[int64](0), vector(step)}, want: []string{want}}
}

func TestSlices(t *testing.T) {
	num, ints := modeltest.Int, modeltest.Ints
	runLayers(t, []layerCase{
		slicing("to INT_MAX", 0, math.MaxInt64, 1, "FLOAT[n,4]"),
		slicing("to INT_MAX of 32 bits", 1, math.MaxInt32, 1, "FLOAT[n-1,4]"),
		slicing("the first", 0, 1, 1, "FLOAT[1,4]"),
		slicing("the last", -1, math.MaxInt64, 1, "FLOAT[1,4]"),
		slicing("all but the last", 0, -1, 1, "FLOAT[n-1,4]"),
		slicing("an end clamps to the dim", 0, 10, 1, "FLOAT[min(n,10);4]"),
		slicing("a negative start clamps to 0", -10, math.MaxInt64, 1, "FLOAT[min(n,10);4]"),
		slicing("a window past the end is empty", 3, 10, 1, "FLOAT[max(min(n,10)-3,0);4]"),
		slicing("every other one", 0, math.MaxInt64, 2, "FLOAT[ceil(n/2);4]"),
		slicing("backward to INT_MIN", -1, math.MinInt64, -1, "FLOAT[n,4]"),
		slicing("backward, every third", -1, math.MinInt64, -3, "FLOAT[ceil(n/3);4]"),
		slicing("backward down to, not with, the first", -1, 0, -1, "FLOAT[n-1,4]"),
		slicing("backward by 9 at most", -1, -10, -1, "FLOAT[min(n,9);4]"),
		// start clamps to n-1, INT_MAX as an end clamps to n-1 too.
		slicing("backward to INT_MAX is empty", math.MaxInt64, math.MaxInt64, -1, "FLOAT[0,4]"),
		{clause: "step 0", opset: 13, op: "Slice", inputs: []layerInput{of("n", 4), vector[int64](0), vector[int64](1), vector[int64](0), vector[int64](0)}, fail: "value"},
		{clause: "as many ends as starts", opset: 13, op: "Slice", inputs: []layerInput{of("n", 4), vector[int64](0), vector[int64](1, 2)}, fail: "shape"},
		{clause: "axes from 0 on when missing", opset: 13, op: "Slice", inputs: []layerInput{of("n", 4, 5), vector[int64](0, 1), vector[int64](1, 3)}, want: []string{"FLOAT[1,2,5]"}},
		{clause: "bounds known at run time", opset: 13, op: "Slice", inputs: []layerInput{of("n", 4), typed(onnxgraph.Int64, 1), typed(onnxgraph.Int64, 1), vector[int64](1)}, want: []string{"FLOAT[n,out0_dim1]"}},
		{clause: "attributes in version 1", opset: 1, op: "Slice", inputs: []layerInput{of("n", 4)}, attrs: attrs(ints("starts", -3), ints("ends", -1), ints("axes", 1)), want: []string{"FLOAT[n,2]"}},

		{clause: "sizes as input", opset: 13, op: "Split", inputs: []layerInput{of("n", 6), vector[int64](2, 4)}, attrs: attrs(num("axis", 1)), want: []string{"FLOAT[n,2]", "FLOAT[n,4]"}},
		{clause: "sizes are a vector", opset: 13, op: "Split", inputs: []layerInput{of(6), typed(onnxgraph.Int64, 2, 1)}, want: []string{"FLOAT[2]", "FLOAT[4]"}, fail: "rank"},
		{clause: "sizes add up", opset: 13, op: "Split", inputs: []layerInput{of("n", 6), vector[int64](2, 3)}, attrs: attrs(num("axis", 1)), want: []string{"FLOAT[n,2]", "FLOAT[n,3]"}, fail: "shape"},
		{clause: "sizes known at run time are the dim together", opset: 13, op: "Split", inputs: []layerInput{of("n", 6), typed(onnxgraph.Int64, 2)}, want: []string{"FLOAT[out0_dim0,6]", "FLOAT[n-out0_dim0,6]"}},
		{clause: "equal parts of an expression", opset: 13, op: "Split", inputs: []layerInput{of("n", 6)}, want: []string{"FLOAT[n/2,6]", "FLOAT[n/2,6]"}},
		{clause: "equal parts must divide before 18", opset: 13, op: "Split", inputs: []layerInput{of(5, 6)}, want: []string{"FLOAT[2,6]", "FLOAT[3,6]"}, fail: "shape"},
		// 3 parts of ceil(n/3), the last one has what is left.
		{clause: "a smaller last part", opset: 18, op: "Split", inputs: []layerInput{of("n", 6)}, attrs: attrs(num("num_outputs", 3)), want: []string{"FLOAT[ceil(n/3);6]", "FLOAT[ceil(n/3);6]", "FLOAT[n-2*ceil(n/3);6]"}},
		// ceil(5/4) is 2: 2 + 2 + 2 is more than 5 already.
		{clause: "no negative last part", opset: 18, op: "Split", inputs: []layerInput{of(5)}, attrs: attrs(num("num_outputs", 4)), want: []string{"FLOAT[2]", "FLOAT[2]", "FLOAT[1]", "FLOAT[0]"}, fail: "shape"},

		{clause: "the sum on the axis", opset: 13, op: "Concat", inputs: []layerInput{of("p", 4), of("s", 4)}, attrs: attrs(num("axis", 0)), want: []string{"FLOAT[p+s,4]"}},
		{clause: "a number beside a name", opset: 13, op: "Concat", inputs: []layerInput{of(2, "c"), of(3, 4)}, attrs: attrs(num("axis", 0)), want: []string{"FLOAT[5,4]"}},
		{clause: "none of the list is left out", opset: 13, op: "Concat", inputs: []layerInput{of(2, 4), none, of(3, 4)}, attrs: attrs(num("axis", 0)), fail: "arity"},
		{clause: "other dims agree", opset: 13, op: "Concat", inputs: []layerInput{of(2, 5), of(3, 4)}, attrs: attrs(num("axis", 0)), fail: "shape"},
		{clause: "axis 1 by default in version 1", opset: 1, op: "Concat", inputs: []layerInput{of(2, 5), of(2, 4)}, want: []string{"FLOAT[2,9]"}},
		{clause: "64 bits", opset: 13, op: "Concat", inputs: []layerInput{of(int64(math.MaxInt64)), of(1)}, attrs: attrs(num("axis", 0)), fail: "shape"},
	})
}

func TestPicking(t *testing.T) {
	num, str := modeltest.Int, modeltest.String
	runLayers(t, []layerCase{
		{clause: "indices in place of the axis", opset: 13, op: "Gather", inputs: []layerInput{of("v", 64), typed(onnxgraph.Int64, "b", "s")}, want: []string{"FLOAT[b,s,64]"}},
		{clause: "a scalar index takes the axis away", opset: 13, op: "Gather", inputs: []layerInput{of("b", "s", 64), scalar(0)}, attrs: attrs(num("axis", -2)), want: []string{"FLOAT[b,64]"}},
		{clause: "the shape of the indices", opset: 13, op: "GatherElements", inputs: []layerInput{of("b", 9), typed(onnxgraph.Int64, "b", 3)}, attrs: attrs(num("axis", 1)), want: []string{"FLOAT[b,3]"}},
		{clause: "equal ranks", opset: 13, op: "GatherElements", inputs: []layerInput{of("b", 9), typed(onnxgraph.Int64, "b")}, fail: "rank"},
		{clause: "slices behind tuples", opset: 13, op: "GatherND", inputs: []layerInput{of("b", 5, 6, 7), typed(onnxgraph.Int64, "b", "k", 2)}, attrs: attrs(num("batch_dims", 1)), want: []string{"FLOAT[b,k,7]"}},
		{clause: "tuples no longer than the rank", opset: 13, op: "GatherND", inputs: []layerInput{of("b", 5), typed(onnxgraph.Int64, "k", 3)}, fail: "shape"},
		{clause: "the type of data", opset: 18, op: "ScatterND", inputs: []layerInput{of("b", 5, 6), typed(onnxgraph.Int64, "k", 1), of("k", 5, 6)}, attrs: attrs(str("reduction", "max")), want: []string{"FLOAT[b,5,6]"}},
		{clause: "updates of the slices' shape", opset: 18, op: "ScatterND", inputs: []layerInput{of("b", 5, 6), typed(onnxgraph.Int64, "k", 1), of("k", 4, 6)}, fail: "shape"},
		{clause: "indices within the data on other axes", opset: 16, op: "ScatterElements", inputs: []layerInput{of(8, 4), typed(onnxgraph.Int64, 1, 8), of(1, 8)}, fail: "shape"},
		{clause: "max since 18", opset: 16, op: "ScatterElements", inputs: []layerInput{of(5), typed(onnxgraph.Int64, 2), of(2)}, attrs: attrs(str("reduction", "max")), fail: "attribute"},
		{clause: "as many columns as elements at most", opset: 13, op: "NonZero", inputs: []layerInput{of("b", 4)}, want: []string{"INT64[2,out0_dim1]"}},
		{clause: "known elements", opset: 13, op: "NonZero", inputs: []layerInput{vector[int64](3, 0, 0, 1)}, want: []string{"INT64[1,2]"}},
		{clause: "k in place of the axis", opset: 11, op: "TopK", inputs: []layerInput{of("b", 10), vector[int64](3)}, want: []string{"FLOAT[b,3]", "INT64[b,3]"}},
		{clause: "one size for both outputs", opset: 11, op: "TopK", inputs: []layerInput{of("b", 10), typed(onnxgraph.Int64, 1)}, want: []string{"FLOAT[b,out0_dim1]", "INT64[b,out0_dim1]"}},
		{clause: "k is a vector", opset: 11, op: "TopK", inputs: []layerInput{of("b", 10), typed(onnxgraph.Int64, 1, 1)}, want: []string{"FLOAT[b,3]", "INT64[b,3]"}, fail: "rank"},
		{clause: "k no more than there are", opset: 11, op: "TopK", inputs: []layerInput{of("b", 10), vector[int64](11)}, want: []string{"FLOAT[b,11]", "INT64[b,11]"}, fail: "shape"},
		{clause: "depth on the axis", opset: 11, op: "OneHot", inputs: []layerInput{typed(onnxgraph.Int64, "b", "s"), scalar(7), vector[float32](0, 1)}, attrs: attrs(num("axis", 1)), want: []string{"FLOAT[b,7,s]"}},
		{clause: "along an axis", opset: 11, op: "Unique", inputs: []layerInput{of(5, "n")}, attrs: attrs(num("axis", 0)), want: []string{"FLOAT[out0_dim0,n]", "INT64[out0_dim0]", "INT64[5]", "INT64[out0_dim0]"}},
		{clause: "of the flattened input", opset: 11, op: "Unique", inputs: []layerInput{vector[int64](3, 1, 3, 3)}, want: []string{"INT64[2]", "INT64[2]", "INT64[4]", "INT64[2]"}},
		// Of 4 conditions the input has elements for 3: true, false, true.
		{clause: "a condition longer than the axis", opset: 11, op: "Compress", inputs: []layerInput{of(2, 3), vector(true, false, true, true)}, attrs: attrs(num("axis", 1)), want: []string{"FLOAT[2,2]"}},
		{clause: "a condition shorter than the axis", opset: 11, op: "Compress", inputs: []layerInput{of("n", 4), typed(onnxgraph.Bool, 3)}, attrs: attrs(num("axis", 0)), want: []string{"FLOAT[out0_dim0,4]"}},
		{clause: "nothing by default", opset: 11, op: "NonMaxSuppression", inputs: []layerInput{of("b", "k", 4), of("b", 3, "k")}, want: []string{"INT64[0,3]"}},
		{clause: "at most so many a class", opset: 11, op: "NonMaxSuppression", inputs: []layerInput{of(1, 100, 4), of(1, 3, 100), scalar(20)}, want: []string{"INT64[out0_dim0,3]"}},
		{clause: "a number over one decides", opset: 13, op: "Expand", inputs: []layerInput{of("b", 1, 4), vector[int64](3, 1)}, want: []string{"FLOAT[b,3,4]"}},
		{clause: "more axes in front", opset: 13, op: "Expand", inputs: []layerInput{of(1, 4), vector[int64](2, 3, 4)}, want: []string{"FLOAT[2,3,4]"}},
		{clause: "dims broadcast", opset: 13, op: "Expand", inputs: []layerInput{of(2, 4), vector[int64](3, 4)}, fail: "shape"},
		{clause: "copies per axis", opset: 13, op: "Tile", inputs: []layerInput{of("b", 4), vector[int64](2, 3)}, want: []string{"FLOAT[2*b,12]"}},
		{clause: "a count per axis", opset: 13, op: "Tile", inputs: []layerInput{of("b", 4), vector[int64](2)}, fail: "shape"},
		{clause: "one diagonal", opset: 14, op: "Trilu", inputs: []layerInput{of(4, 4), typed(onnxgraph.Int64, 2)}, fail: "shape"},
		{clause: "a matrix at least", opset: 14, op: "Trilu", inputs: []layerInput{of(4)}, fail: "rank"},
		{clause: "a batch and a time axis", opset: 10, op: "ReverseSequence", inputs: []layerInput{of("t", "b", 4), typed(onnxgraph.Int64, "b")}, attrs: attrs(num("time_axis", 1)), fail: "attribute"},
	})
}
