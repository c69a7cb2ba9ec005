package catalogue_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

func TestResizeShapes(t *testing.T) {
	ints, str := modeltest.Ints, modeltest.String
	runLayers(t, []layerCase{
		{clause: "floor(in*scale)", opset: 10, op: "Resize", inputs: []layerInput{image, vector[float32](1, 1, 2, 0.5)},
			want: []string{"FLOAT[n;3;2*h;floor(w/2)]"}},
		// 0.7 as a float32 is 0.69999999; 10 times it is 7 in every runtime.
		{clause: "a scale is the fraction it rounds from", opset: 13, op: "Resize", inputs: []layerInput{of(1, 1, 10, "w"), none, vector[float32](1, 1, 0.7, 0.7)},
			want: []string{"FLOAT[1;1;7;floor(7*w/10)]"}},
		{clause: "scale 1 is exact above 2^24", opset: 18, op: "Resize", inputs: []layerInput{of(1, 1<<24+1), none, vector[float32](1, 1)},
			want: []string{"FLOAT[1,16777217]"}},
		{clause: "sizes of some axes", opset: 18, op: "Resize", inputs: []layerInput{image, none, none, vector[int64](5, 6)},
			attrs: attrs(ints("axes", -1, -2)), want: []string{"FLOAT[n,3,6,5]"}},
		// scale = min(300/480, 300/640): round(480*300/640) = 225.
		{clause: "not_larger", opset: 18, op: "Resize", inputs: []layerInput{of(1, 3, 480, 640), none, none, vector[int64](300, 300)},
			attrs: attrs(ints("axes", 2, 3), str("keep_aspect_ratio_policy", "not_larger")), want: []string{"FLOAT[1,3,225,300]"}},
		// scale = max(5/2, 3/3) = 5/2: 3*5/2 = 7.5, halves up.
		{clause: "not_smaller, halves up", opset: 19, op: "Resize", inputs: []layerInput{of(1, 1, 2, 3), none, none, vector[int64](5, 3)},
			attrs: attrs(ints("axes", 2, 3), str("keep_aspect_ratio_policy", "not_smaller")), want: []string{"FLOAT[1,1,5,8]"}},
		{clause: "empty scales count as missing", opset: 11, op: "Resize", inputs: []layerInput{image, vector[float32](), vector[float32](), vector[int64](1, 2, 3, 4)},
			want: []string{"FLOAT[1,2,3,4]"}},
		{clause: "scales and sizes", opset: 13, op: "Resize", inputs: []layerInput{image, none, vector[float32](1, 1, 1, 1), vector[int64](1, 2, 3, 4)}, fail: "value"},
		{clause: "neither scales nor sizes", opset: 13, op: "Resize", inputs: []layerInput{image}, fail: "value"},
		{clause: "one scale an axis", opset: 13, op: "Resize", inputs: []layerInput{image, none, vector[float32](2, 2)}, fail: "shape"},
		{clause: "scales that the run decides", opset: 18, op: "Resize", inputs: []layerInput{image, none, of(2)},
			attrs: attrs(ints("axes", 2, 3)), want: []string{"FLOAT[n,3,?,?]"}},
		{clause: "attributes of 1", opset: 1, op: "Upsample", inputs: []layerInput{image},
			attrs: attrs(modeltest.Float("height_scale", 1.5), modeltest.Float("width_scale", 2)), want: []string{"FLOAT[n;3;floor(3*h/2);2*w]"}},
	})
}

func TestPadShapes(t *testing.T) {
	runLayers(t, []layerCase{
		{clause: "negative amounts remove", opset: 2, op: "Pad", inputs: []layerInput{of("n", "c")},
			attrs: attrs(modeltest.Ints("pads", 1, -1, 2, -1)), want: []string{"FLOAT[n + 3,c - 2]"}},
		{clause: "axes", opset: 18, op: "Pad", inputs: []layerInput{image, vector[int64](1, 2, 3, 4), none, vector[int64](-1, 1)},
			want: []string{"FLOAT[n,9,h,w + 4]"}},
		{clause: "amounts that the run decides", opset: 18, op: "Pad", inputs: []layerInput{image, typed(onnxgraph.Int64, 2), none, vector[int64](2)},
			want: []string{"FLOAT[n,3,?,w]"}},
		{clause: "below zero", opset: 13, op: "Pad", inputs: []layerInput{of(3), vector[int64](-2, -2)}, fail: "shape"},
		{clause: "twice as many as axes", opset: 13, op: "Pad", inputs: []layerInput{of(3, 3), vector[int64](1, 1)}, fail: "shape"},
	})
}

func TestMovedBlocks(t *testing.T) {
	num := modeltest.Int
	runLayers(t, []layerCase{
		{clause: "C/b^2, H*b, W*b", opset: 13, op: "DepthToSpace", inputs: []layerInput{of("n", 12, "h", 5)}, attrs: attrs(num("blocksize", 2)), want: []string{"FLOAT[n,3,2*h,10]"}},
		{clause: "C/b^2 without rest", opset: 13, op: "DepthToSpace", inputs: []layerInput{of("n", 10, "h", 5)}, attrs: attrs(num("blocksize", 2)), fail: "shape"},
		{clause: "C*b^2, H/b, W/b", opset: 13, op: "SpaceToDepth", inputs: []layerInput{of("n", 3, "h", 6)}, attrs: attrs(num("blocksize", 3)), want: []string{"FLOAT[n,27,h/3,2]"}},
		// 12 = C*2*3, and (4 - 1)*(5 - 2) = 9 positions.
		{clause: "blocks on the image", opset: 18, op: "Col2Im", inputs: []layerInput{of("n", 12, 9), vector[int64](4, 5), vector[int64](2, 3)}, want: []string{"FLOAT[n,2,4,5]"}},
		{clause: "number of blocks", opset: 18, op: "Col2Im", inputs: []layerInput{of("n", 12, 8), vector[int64](4, 5), vector[int64](2, 3)}, fail: "shape"},
		{clause: "the named axes", opset: 18, op: "CenterCropPad", inputs: []layerInput{image, vector[int64](7, 9)}, attrs: attrs(modeltest.Ints("axes", -1, 1)), want: []string{"FLOAT[n,9,h,7]"}},
		{clause: "spatial axes from the grid", opset: 20, op: "GridSample", inputs: []layerInput{of("n", 2, "d", "h", "w"), of("n", "a", "b", "c", 3)}, want: []string{"FLOAT[n,2,a,b,c]"}},
		{clause: "coordinates a point", opset: 20, op: "GridSample", inputs: []layerInput{image, of("n", "a", "b", 3)}, fail: "shape"},
		{clause: "size", opset: 20, op: "AffineGrid", inputs: []layerInput{of("n", 3, 4), vector[int64](2, 3, 4, 5, 6)}, want: []string{"FLOAT[2,4,5,6,3]"}},
		{clause: "rank from theta", opset: 20, op: "AffineGrid", inputs: []layerInput{of("n", 2, 3), typed(onnxgraph.Int64, "k")}, want: []string{"FLOAT[n,?,?,2]"}},
	})
}
