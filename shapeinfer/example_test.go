package shapeinfer_test

import (
	"bytes"
	"fmt"
	"log"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/shapeinfer/tensor"
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

// patchEmbed is an operator that the catalogue lacks. Its input 0 is an image,
// N x C x H x W, of which it cuts squares of a number of pixels; each becomes a
// vector by the weight, input 1, of shape C*size*size x D.
var patchEmbed = op.Op{
	Domain:   "com.example",
	Name:     "PatchEmbed",
	Versions: []int{1},
	Infer: func(c *op.Call) error {
		x, w := c.Shape(0), c.Shape(1)
		if x.Rank() != 4 || w.Rank() != 2 {
			return c.Errorf(op.CodeRank, "image %s and weight %s must have ranks 4 and 2", x, w)
		}
		size := dim.Int(c.Int("size", 16))
		patches := dim.Mul(dim.FloorDiv(x.At(2), size), dim.FloorDiv(x.At(3), size))
		c.Set(0, c.DType(0), tensor.MakeShape(x.At(0), patches, w.At(1)))
		c.SetLike(1, 0) // the image, handed on
		return nil
	},
	MACs: func(c *op.Call) dim.Dim {
		return dim.Mul(c.Outputs[0].Type.Shape.Elements(), c.Shape(1).At(0))
	},
	Views: []op.View{{Output: 1, Input: 0}},
	Roles: op.ParametersAt(1),
}

// Infer a model with an operator of your own: the rule is an entry in a
// catalogue that the options carry. No other inference sees it.
func ExampleOptions_catalogue() {
	file := modeltest.New(17).
		Input("image", onnxgraph.Float, "batch", 3, 224, 224).
		InitZeros("w", onnxgraph.Float, 768, 512).
		Node("PatchEmbed", []string{"image", "w"}, []string{"tokens", "same"}, modeltest.Domain("com.example")).
		Output("tokens").
		Bytes()
	m, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		log.Fatal(err)
	}
	r, err := shapeinfer.Infer(m, shapeinfer.Options{Catalogue: catalogue.New().With(patchEmbed)})
	if err != nil {
		log.Fatal(err)
	}
	tokens, _ := r.Lookup("tokens")
	fmt.Println(tokens)
	fmt.Println(r.Main.Nodes[0].MACs, "multiply-accumulates")
	// Output:
	// FLOAT[batch,196,512]
	// 77070336*batch multiply-accumulates
}

// Ask a file for the type of a tensor, at a batch of 8.
func ExampleResult_Lookup() {
	model, err := onnxgraph.Open("testdata/model.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	inferred, err := shapeinfer.Infer(model.Model, shapeinfer.Options{Dims: map[string]int64{"batch": 8}})
	if err != nil {
		log.Fatal(err)
	}
	if fact, ok := inferred.Lookup("logits"); ok {
		fmt.Println(fact)
	}
	// Output:
	// FLOAT[8,10]
}
