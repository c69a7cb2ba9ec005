package report_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/memory/training"
	"onnxmem/shapeinfer"
)

// How much memory a model takes, at a batch of 8.
//
// To run it: 2,472 bytes of weights, images of 98,304 bytes, and the results of
// Conv and Relu, 524,288 bytes each. To train it with AdamW: weights, two states
// of their size and four counters of 4 bytes; the images; the Relu's result,
// written over that of Conv, with its gradient and that of Conv; and 1,004 bytes of
// logits, loss and gradients of the last layer.
func ExampleFile() {
	result, err := report.File(context.Background(), "testdata/model.onnx", report.Options{
		Infer:    shapeinfer.Options{Dims: map[string]int64{"batch": 8}},
		Training: training.Options{Optimizer: training.AdamW},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Parameters.Count, "parameters")
	if peak := result.Inference.PeakBytes; peak != nil { // nil where it is not known
		fmt.Println(*peak, "bytes to run")
	}
	if peak := result.Training.PeakBytes; peak != nil {
		fmt.Println(*peak, "bytes to train, most in", result.Training.PeakPhase)
	}
	// Output:
	// 618 parameters
	// 1149352 bytes to run
	// 1679604 bytes to train, most in backward
}

// The largest batch that runs in 8 GB, of which 1 GB is kept for the runtime's
// context: 2,472 + 143,360 x 48,828 bytes are just below 7 GB.
func ExampleFit() {
	model, err := onnxgraph.Open("testdata/model.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	fit, err := report.Fit(context.Background(), model.Model, report.FitOptions{
		Budget: 8_000_000_000, // with Train, for a training step
	})
	if err != nil {
		log.Fatal(err)
	}
	if fit.Largest != nil {
		fmt.Println(fit.Symbol, "=", *fit.Largest)
	}
	// Output:
	// batch = 48828
}

// An analysis tells of types before it reports, and its errors can be told
// apart.
func ExampleAnalyze() {
	model, err := onnxgraph.Open("testdata/model.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	_, err = report.Analyze(model.Model, report.Options{Infer: shapeinfer.Options{Dims: map[string]int64{"bath": 8}}})
	var binding *shapeinfer.BindingError
	if errors.As(err, &binding) {
		fmt.Println(binding.Name, "is none of", binding.Near)
	}
	analysis, err := report.Analyze(model.Model, report.Options{})
	if err != nil {
		log.Fatal(err)
	}
	logits, _ := analysis.Symbolic.Lookup("logits")
	fmt.Println(logits)
	result, err := analysis.Result(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Formula.PeakBytes)
	// Output:
	// bath is none of [batch]
	// FLOAT[batch,10]
	// 143360*batch + 2472
}

// The type of every tensor.
func ExampleShapes() {
	model, err := onnxgraph.Open("testdata/model.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	inferred, err := shapeinfer.Infer(model.Model, shapeinfer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range report.Shapes(inferred).Tensors[5:] {
		fmt.Println(t.Name, *t.DType, t.Shape, t.Known)
	}
	// Output:
	// h FLOAT [batch 16 32 32] symbolic
	// r FLOAT [batch 16 32 32] symbolic
	// p FLOAT [batch 16 1 1] symbolic
	// f FLOAT [batch 16] symbolic
	// logits FLOAT [batch 10] symbolic
}
