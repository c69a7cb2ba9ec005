package report_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

var update = flag.Bool("update", false, "write the model of the examples")

// exampleModel is a classifier of images of 32x32 with 618 parameters.
func exampleModel() []byte {
	kernel, head := make([]float32, 16*3*3*3), make([]float32, 16*10)
	for i := range kernel {
		kernel[i] = float32(i%9-4) / 8
	}
	for i := range head {
		head[i] = float32(i%5-2) / 4
	}
	return modeltest.New(17).Producer("modeltest", "1").
		Input("image", onnxgraph.Float, "batch", 3, 32, 32).
		Init("conv.weight", []int64{16, 3, 3, 3}, kernel).InitZeros("conv.bias", onnxgraph.Float, 16).
		Init("fc.weight", []int64{16, 10}, head).InitZeros("fc.bias", onnxgraph.Float, 10).
		Node("Conv", []string{"image", "conv.weight", "conv.bias"}, []string{"h"}, modeltest.NodeName("conv"), modeltest.Ints("pads", 1, 1, 1, 1)).
		Node("Relu", []string{"h"}, []string{"r"}, modeltest.NodeName("relu")).
		Node("GlobalAveragePool", []string{"r"}, []string{"p"}, modeltest.NodeName("pool")).
		Node("Flatten", []string{"p"}, []string{"f"}, modeltest.NodeName("flatten")).
		Node("Gemm", []string{"f", "fc.weight", "fc.bias"}, []string{"logits"}, modeltest.NodeName("fc")).
		Output("logits").
		Bytes()
}

// TestExampleModel holds the file that the examples read against how it is made:
// go test ./report -run TestExampleModel -update.
func TestExampleModel(t *testing.T) {
	for _, path := range []string{"testdata/model.onnx", "../onnxgraph/testdata/model.onnx", "../shapeinfer/testdata/model.onnx"} {
		if *update {
			if err := os.WriteFile(path, exampleModel(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, exampleModel()) {
			t.Errorf("%s is not what exampleModel makes", path)
		}
	}
}
