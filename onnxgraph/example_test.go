package onnxgraph_test

import (
	"errors"
	"fmt"
	"log"

	"onnxmem/onnxgraph"
)

func ExampleOpen() {
	f, err := onnxgraph.Open("../testdata/models/silero_vad_v5.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	opset, _ := f.Opset("")
	fmt.Printf("IR version %d, opset %d, by %s\n", f.IRVersion, opset, f.ProducerName)
	for _, in := range f.Graph.Inputs {
		fmt.Println("input", in.Name, in.Type.DType)
	}
	// Output:
	// IR version 8, opset 16, by spox
	// input input FLOAT
	// input state FLOAT
	// input sr INT64
}

func ExampleNotONNXError() {
	_, err := onnxgraph.Open("../testdata/README.md")
	var not *onnxgraph.NotONNXError
	fmt.Println(errors.As(err, &not), not.Kind)
	// Output: true text
}

// Values stay in the file until somebody asks for them.
func ExampleTensor_Float64s() {
	model, err := onnxgraph.Open("testdata/model.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	for _, t := range model.Graph.Initializers {
		values, err := t.Float64s(1_000_000) // at most so many
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Name, t.DType, t.Dims, values[:3])
	}
	// Output:
	// conv.weight FLOAT [16 3 3 3] [-0.5 -0.375 -0.25]
	// conv.bias FLOAT [16] [0 0 0]
	// fc.weight FLOAT [16 10] [-0.5 -0.25 0]
	// fc.bias FLOAT [10] [0 0 0]
}
