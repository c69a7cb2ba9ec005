package shapeinfer_test

import (
	"bytes"
	"fmt"
	"log"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
)

// encoder is a small model: a Gemm over a batch of rows, then a Relu.
func encoder() *onnxgraph.Model {
	file := modeltest.New(17).
		Input("x", onnxgraph.Float, "batch", 8).
		InitZeros("w", onnxgraph.Float, 8, 4).
		Node("MatMul", []string{"x", "w"}, []string{"h"}).
		Node("Relu", []string{"h"}, []string{"y"}).
		Output("y").
		Bytes()
	m, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// Infer a model with its batch left open, and ask for a tensor's type.
func ExampleInfer() {
	r, err := shapeinfer.Infer(encoder(), shapeinfer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fact, _ := r.Lookup("y")
	fmt.Println(fact.Type)
	fmt.Println(fact.Type.Bytes(), "bytes")
	fmt.Println(r.FreeSymbols)
	// Output:
	// FLOAT[batch,4]
	// 16*batch bytes
	// [batch]
}

// Bind a symbol of a finished inference and ask again, without inferring
// again.
func ExampleResult_Bind() {
	r, err := shapeinfer.Infer(encoder(), shapeinfer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, batch := range []int64{1, 32} {
		bound, err := r.Bind(map[string]int64{"batch": batch})
		if err != nil {
			log.Fatal(err)
		}
		fact, _ := bound.Lookup("h")
		fmt.Println(fact.Type)
	}
	// Output:
	// FLOAT[1,4]
	// FLOAT[32,4]
}
