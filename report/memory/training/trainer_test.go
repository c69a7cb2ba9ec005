package training_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// TestTrainerSharesTapes: what a trainer simulated before, from a tape that it
// shares, must not show in what it simulates next.
func TestTrainerSharesTapes(t *testing.T) {
	m := modeltest.New(17).
		Input("x", onnxgraph.Float, 4, 3, 16, 16).
		InitZeros("w1", onnxgraph.Float, 8, 3, 3, 3).
		InitZeros("w2", onnxgraph.Float, 8, 8, 3, 3).
		Node("Conv", []string{"x", "w1"}, []string{"a"}, modeltest.Ints("pads", 1, 1, 1, 1)).
		Node("Sigmoid", []string{"a"}, []string{"b"}).
		Node("Conv", []string{"b", "w2"}, []string{"c"}, modeltest.Ints("pads", 1, 1, 1, 1)).
		Node("Add", []string{"b", "c"}, []string{"d"}).
		Node("Relu", []string{"d"}, []string{"y"}).
		Output("y").Model(t)
	r, err := shapeinfer.Infer(m, shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	variants := []training.Options{
		training.Options{}, {Optimizer: training.SGD}, {Checkpoint: training.CheckpointEvery(1)}, {Loss: training.LossCrossEntropy}, {Precision: training.BF16},
		{Precision: training.BF16Master}, {Accumulate: 4}, {Zero: 2, GPUs: 4}, {Names: weights.NameGlobs{Freeze: []string{"w1"}}}, training.Options{},
	}
	trainer := training.NewTrainer(r, weights.Collect(r.Program, weights.Options{}))
	for _, opts := range variants {
		shared, err := trainer.Simulate(opts)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := training.Simulate(r, opts)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(alone, shared); d != "" {
			t.Errorf("%+v: %s", opts, d)
		}
	}
}
