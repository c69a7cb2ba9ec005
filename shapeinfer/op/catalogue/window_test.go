package catalogue_test

import (
	"testing"

	"onnxmem/onnxgraph/modeltest"
)

// attrs saves a line for every case.
func attrs(list ...modeltest.NodeOption) []modeltest.NodeOption { return list }

// Dims of an image with open batch and sides. Dims with a parenthesis are
// parted by semicolons.
var image = of("n", 3, "h", "w")

func TestConvolutionShapes(t *testing.T) {
	ints, str, num := modeltest.Ints, modeltest.String, modeltest.Int
	runLayers(t, []layerCase{
		// floor((h + 3 + 3 - 7)/2) + 1; each of 64 outputs sums over 3*7*7.
		{clause: "strides and pads", opset: 22, op: "Conv", inputs: []layerInput{image, of(64, 3, 7, 7)},
			attrs: attrs(ints("strides", 2, 2), ints("pads", 3, 3, 3, 3)),
			want:  []string{"FLOAT[n;64;floor((h - 1)/2) + 1;floor((w - 1)/2) + 1]"},
			macs:  "n*64*(floor((h - 1)/2) + 1)*(floor((w - 1)/2) + 1)*147"},
		// The dilated kernel covers (3 - 1)*2 + 1 = 5.
		{clause: "dilations", opset: 11, op: "Conv", inputs: []layerInput{image, of(8, 3, 3, 3)},
			attrs: attrs(ints("dilations", 2, 2)), want: []string{"FLOAT[n,8,h - 4,w - 4]"}},
		{clause: "SAME_LOWER is ceil(in/stride)", opset: 1, op: "Conv", inputs: []layerInput{image, of(8, 3, 5, 5)},
			attrs: attrs(ints("strides", 3, 3), str("auto_pad", "SAME_LOWER")), want: []string{"FLOAT[n;8;ceil(h/3);ceil(w/3)]"}},
		// Depthwise: every output sums over 1*3*3.
		{clause: "group counts in MACs", opset: 11, op: "Conv", inputs: []layerInput{of(1, 4, 6, 6), of(4, 1, 3, 3)},
			attrs: attrs(num("group", 4)), want: []string{"FLOAT[1,4,4,4]"}, macs: "4*4*4*9"},
		{clause: "channels times group", opset: 11, op: "Conv", inputs: []layerInput{of(1, 4, 6, 6), of(4, 2, 3, 3)},
			attrs: attrs(num("group", 4)), fail: "shape"},
		{clause: "no auto_pad with pads", opset: 11, op: "Conv", inputs: []layerInput{image, of(8, 3, 3, 3)},
			attrs: attrs(str("auto_pad", "VALID"), ints("pads", 1, 1, 1, 1)), fail: "attribute"},
		{clause: "kernel larger than the padded input", opset: 11, op: "Conv", inputs: []layerInput{of(1, 3, 2, 2), of(8, 3, 5, 5)}, fail: "shape"},
		{clause: "bias of M", opset: 11, op: "Conv", inputs: []layerInput{image, of(8, 3, 3, 3), of(9)}, fail: "shape"},
		{clause: "rank from the filter", opset: 11, op: "Conv", inputs: []layerInput{of("n", 3, "h"), of("m", 3, 3)}, want: []string{"FLOAT[n,m,h - 2]"}},

		// stride*(in - 1) + output_padding + kernel - pads, every input element times 8*4*4.
		{clause: "stride*(in - 1)", opset: 11, op: "ConvTranspose", inputs: []layerInput{image, of(3, 8, 4, 4)},
			attrs: attrs(ints("strides", 2, 2), ints("pads", 1, 1, 1, 1), ints("output_padding", 1, 0)),
			want:  []string{"FLOAT[n,8,2*h + 1,2*w]"}, macs: "n*3*h*w*128"},
		{clause: "channels w[1]*group", opset: 11, op: "ConvTranspose", inputs: []layerInput{of(1, 4, 5), of(4, 3, 2)},
			attrs: attrs(num("group", 2)), want: []string{"FLOAT[1,6,6]"}},
		{clause: "output_shape wins", opset: 22, op: "ConvTranspose", inputs: []layerInput{image, of(3, 1, 3, 3)},
			attrs: attrs(ints("output_shape", 10, 8), ints("pads", 0, 0, 0, 0)), want: []string{"FLOAT[n,1,10,8]"}},
		{clause: "output_shape of too many axes", opset: 22, op: "ConvTranspose", inputs: []layerInput{image, of(3, 1, 3, 3)},
			attrs: attrs(ints("output_shape", 10, 8, 6)), fail: "attribute"},
		{clause: "SAME is in*stride", opset: 11, op: "ConvTranspose", inputs: []layerInput{image, of(3, 1, 3, 3)},
			attrs: attrs(ints("strides", 2, 3), str("auto_pad", "SAME_UPPER")), want: []string{"FLOAT[n,1,2*h,3*w]"}},
		{clause: "a size below zero", opset: 11, op: "ConvTranspose", inputs: []layerInput{of(1, 1, 1, 1), of(1, 1, 2, 2)},
			attrs: attrs(ints("pads", 2, 2, 2, 2)), fail: "shape"},
	})
}

func TestPoolShapes(t *testing.T) {
	ints, str, num := modeltest.Ints, modeltest.String, modeltest.Int
	kernel := func(k ...int64) modeltest.NodeOption { return ints("kernel_shape", k...) }
	runLayers(t, []layerCase{
		{clause: "Indices have the shape of Y", opset: 8, op: "MaxPool", inputs: []layerInput{image},
			attrs: attrs(kernel(2, 2), ints("strides", 2, 2)),
			want:  []string{"FLOAT[n;3;max(floor(h/2), 1);max(floor(w/2), 1)]", "INT64[n;3;max(floor(h/2), 1);max(floor(w/2), 1)]"}},
		// ceil((7 - 2)/2) + 1 = 4, whose last window starts at 6 of 7.
		{clause: "ceil_mode rounds up", opset: 10, op: "AveragePool", inputs: []layerInput{of(1, 1, 7)},
			attrs: attrs(kernel(2), ints("strides", 2), num("ceil_mode", 1)), want: []string{"FLOAT[1,1,4]"}},
		// ceil((3 + 2 - 2)/2) + 1 = 3, and the third window would start at 4 = 3 + 1, in the padding at the end.
		{clause: "windows that start in the padding", opset: 22, op: "AveragePool", inputs: []layerInput{of(1, 1, 3)},
			attrs: attrs(kernel(2), ints("strides", 2), ints("pads", 1, 1), num("ceil_mode", 1)), want: []string{"FLOAT[1,1,2]"}},
		// The same in letters: windows start at 0, 2, ... below h + 1.
		{clause: "windows that start in the padding, open", opset: 22, op: "MaxPool", inputs: []layerInput{of(1, 1, "h")},
			attrs: attrs(kernel(2), ints("strides", 2), ints("pads", 1, 1), num("ceil_mode", 1)), want: []string{"FLOAT[1;1;ceil((h + 1)/2)]"}},
		{clause: "dilations", opset: 19, op: "AveragePool", inputs: []layerInput{of(1, 1, "h")},
			attrs: attrs(kernel(3), num("ceil_mode", 0), ints("dilations", 3)), want: []string{"FLOAT[1,1,h - 6]"}},
		// (4 - 5)/2 is cut to 0 by runtimes, whose one window juts out by 1.
		{clause: "a window that juts out", opset: 12, op: "MaxPool", inputs: []layerInput{of(1, 1, 4)},
			attrs: attrs(kernel(3), ints("strides", 2), ints("dilations", 2)), want: []string{"FLOAT[1,1,1]"}},
		// (h + 2 - 3)/2 is at least 0 for every h.
		{clause: "a window that fits", opset: 12, op: "MaxPool", inputs: []layerInput{of(1, 1, "h")},
			attrs: attrs(kernel(3), ints("strides", 2), ints("pads", 1, 1)), want: []string{"FLOAT[1;1;floor((h - 1)/2) + 1]"}},
		{clause: "nothing is left", opset: 12, op: "MaxPool", inputs: []layerInput{of(1, 1, 2)},
			attrs: attrs(kernel(5), ints("strides", 1)), fail: "shape"},
		{clause: "SAME_UPPER", opset: 1, op: "AveragePool", inputs: []layerInput{image},
			attrs: attrs(kernel(3, 3), ints("strides", 2, 2), str("auto_pad", "SAME_UPPER")), want: []string{"FLOAT[n;3;ceil(h/2);ceil(w/2)]"}},
		{clause: "kernel_shape may be missing in 1", opset: 1, op: "LpPool", inputs: []layerInput{image}, want: []string{"FLOAT[n,3,?,?]"}},
		{clause: "all spatial axes become 1", opset: 22, op: "GlobalAveragePool", inputs: []layerInput{of("n", 3, "d", "h", "w")}, want: []string{"FLOAT[n,3,1,1,1]"}},
		{clause: "a stride for each spatial axis", opset: 11, op: "MaxUnpool", inputs: []layerInput{of(1, 1, 2, 2), typed(7, 1, 1, 2, 2), vector[int64](1, 1, 5, 5)},
			attrs: attrs(kernel(2, 2), ints("strides", 2)), fail: "attribute"},
		// A kernel of 2 x 2 has 4 places: 8 coordinates and 4 factors.
		{clause: "a coordinate on each axis for each place", opset: 19, op: "DeformConv", inputs: []layerInput{of(1, 2, 3, 3), of(1, 2, 2, 2), of(1, 8, 2, 2), none, of(1, 4, 2, 2)}, want: []string{"FLOAT[1,1,2,2]"}},
		{clause: "coordinates for each image", opset: 19, op: "DeformConv", inputs: []layerInput{of(1, 2, 3, 3), of(1, 2, 2, 2), of(2, 8, 2, 2)}, fail: "shape"},
		{clause: "too many coordinates", opset: 19, op: "DeformConv", inputs: []layerInput{of(1, 2, 3, 3), of(1, 2, 2, 2), of(1, 16, 2, 2)}, fail: "shape"},
		{clause: "too few factors", opset: 19, op: "DeformConv", inputs: []layerInput{of(1, 2, 3, 3), of(1, 2, 2, 2), of(1, 8, 2, 2), none, of(1, 2, 2, 2)}, fail: "shape"},
		{clause: "factors for other positions", opset: 19, op: "DeformConv", inputs: []layerInput{of(1, 2, 3, 3), of(1, 2, 2, 2), of(1, 8, 2, 2), none, of(1, 4, 0, 2)}, fail: "shape"},
		{clause: "undoes a pool", opset: 11, op: "MaxUnpool", inputs: []layerInput{of("n", 1, "h", "w"), typed(7, "n", 1, "h", "w")},
			attrs: attrs(kernel(2, 2), ints("strides", 2, 2)), want: []string{"FLOAT[n,1,2*h,2*w]"}},
		{clause: "one image a region", opset: 16, op: "RoiAlign", inputs: []layerInput{image, of("r", 4), typed(7, "r")},
			attrs: attrs(num("output_height", 7), num("output_width", 5)), want: []string{"FLOAT[r,3,7,5]"}},
		{clause: "rois have five columns", opset: 22, op: "MaxRoiPool", inputs: []layerInput{image, of("r", 4)},
			attrs: attrs(ints("pooled_shape", 2, 2)), fail: "shape"},
	})
}
