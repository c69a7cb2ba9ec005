package onnxgo_test

import (
	"fmt"
	"log"
	"os"

	"github.com/owulveryck/onnx-go"
	"gorgonia.org/tensor"

	"onnxmem/onnxgraph/onnxgo"
	"onnxmem/shapeinfer"
)

// A program that runs a model with onnx-go asks for the types of its tensors.
func ExampleBackend() {
	data, err := os.ReadFile("../../testdata/models/ch_ppocr_mobile_v2.0_cls_infer.onnx")
	if err != nil {
		log.Fatal(err)
	}
	backend := onnxgo.NewBackend()
	decoded := onnx.NewModel(backend)
	if err := backend.Decode(decoded, data); err != nil {
		log.Fatal(err)
	}
	// The file says [?,3,?,?]; what is fed has a whole shape.
	image := tensor.New(tensor.WithShape(1, 3, 48, 192), tensor.Of(tensor.Float32))
	if err := decoded.SetInput(0, image); err != nil {
		log.Fatal(err)
	}
	model, _, err := backend.Model(decoded, onnxgo.Options{Opsets: map[string]int64{"": 9}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := shapeinfer.Infer(model, shapeinfer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	output, _ := result.Lookup(model.Graph.Outputs[0].Name)
	fmt.Println(len(model.Graph.Nodes), "nodes")
	fmt.Println(output.Type)
	// Output:
	// 471 nodes
	// FLOAT[1,2]
}

// Convert has the file's bytes and lists what onnx-go lost.
func ExampleConvert() {
	data, err := os.ReadFile("../../testdata/models/ch_ppocr_mobile_v2.0_cls_infer.onnx")
	if err != nil {
		log.Fatal(err)
	}
	model, lost, err := onnxgo.Convert(data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(model.Graph.Nodes), "nodes")
	for _, d := range lost {
		if d.Code == onnxgo.LostDim {
			fmt.Println(d)
		}
	}
	// Output:
	// 471 nodes
	// dim: x: [p2o.DynamicDimension.0,3,p2o.DynamicDimension.1,p2o.DynamicDimension.2] in the file, [3] from onnx-go
	// dim: softmax_0.tmp_0: [p2o.DynamicDimension.3,2] in the file, [2] from onnx-go
}
