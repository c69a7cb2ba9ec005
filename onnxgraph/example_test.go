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
