package training_test

import (
	"errors"
	"math"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// perceptron is relu(x a) b over a batch of 16: a is 100x50 (20,000 bytes), b
// 50x10 (2,000 bytes), x 6,400 bytes, the hidden layer 3,200, the output 640.
func perceptron() *modeltest.Builder {
	return modeltest.New(17).Input("x", onnxgraph.Float, 16, 100).
		InitZeros("a", onnxgraph.Float, 100, 50).InitZeros("b", onnxgraph.Float, 50, 10).
		Node("MatMul", []string{"x", "a"}, []string{"h"}).
		Node("Relu", []string{"h"}, []string{"r"}).
		Node("MatMul", []string{"r", "b"}, []string{"z"}).
		Output("z")
}

const (
	aBytes, bBytes = 20_000, 2_000
	xBytes         = 6_400
	hBytes, zBytes = 3_200, 640
	loss           = 4
)

// TestPerceptron follows one step by hand. The relu's result is all that is
// kept (the product's operand is the same tensor, x is the caller's).
//
// Adam, foreach: states 2 x 22,000 and two counters of 4 bytes; the step has
// gradients and one more copy of the parameters.
func TestPerceptron(t *testing.T) {
	const p = aBytes + bBytes
	res := simulate(t, perceptron(), training.Options{})
	equal(t, "saved", res.SavedBytes, hBytes)
	equal(t, "gradients", res.GradientBytes, p)
	equal(t, "states", res.OptimizerBytes, 2*p+8)
	equal(t, "end of forward", res.Timeline.EndForward, p+2*p+8+xBytes+hBytes+zBytes+loss)
	// Backward: gradient of b, then with it the gradients of r and h; at last
	// that of a beside those of h and b.
	equal(t, "most in backward", res.Timeline.MaxBackward, p+2*p+8+xBytes+zBytes+loss+bBytes+hBytes+aBytes)
	equal(t, "most in the step", res.Timeline.MaxStep, p+2*p+8+xBytes+zBytes+loss+p+p)
	equal(t, "peak", res.PeakBytes, res.Timeline.MaxStep)
	if res.Phase != training.PhaseStep {
		t.Errorf("the peak is in %s", res.Phase)
	}
	equal(t, "first step, end of forward", res.FirstTimeline.EndForward, p+xBytes+hBytes+zBytes+loss)
	equal(t, "first step", res.FirstStepPeakBytes, res.PeakBytes)
}

func equal(t *testing.T, what string, got, want int64) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d bytes, must be %d", what, got, want)
	}
}

// TestOptions follows the same step under other options.
func TestOptions(t *testing.T) {
	const p = aBytes + bBytes
	for _, c := range []struct {
		name                     string
		opts                     training.Options
		saved, gradients, states int64
		step                     int64
	}{
		{"sgd", training.Options{Optimizer: training.SGD}, hBytes, p, 0, p + xBytes + zBytes + loss + p},
		// One by one: twice the larger one; nothing came before it.
		{"adam in a loop", training.Options{ForLoop: true}, hBytes, p, 2*p + 8, p + xBytes + zBytes + loss + p + 2*p + 8 + 2*aBytes},
		{"adam in one kernel", training.Options{Fused: true}, hBytes, p, 2*p + 8, p + xBytes + zBytes + loss + p + 2*p + 8},
		// a is frozen, so nothing before b needs a gradient: only r is kept.
		{"frozen", training.Options{Names: weights.NameGlobs{Freeze: []string{"a"}}}, hBytes, bBytes, 2*bBytes + 4, p + xBytes + zBytes + loss + 4*bBytes + 4},
		{"only a trains", training.Options{Names: weights.NameGlobs{Trainable: []string{"a"}}}, hBytes, aBytes, 2*aBytes + 4, p + xBytes + zBytes + loss + 4*aBytes + 4},
		// Everything halves but the counters and the loss.
		{"bf16", training.Options{Precision: training.BF16}, hBytes / 2, p / 2, p + 8, (p+xBytes+zBytes)/2 + loss + p/2 + p + 8 + p/2},
		// Weights and gradients in 16 bits; a copy and two states in 32.
		{"master weights", training.Options{Precision: training.BF16Master}, hBytes / 2, p / 2, 3*p + 8, (p+xBytes+zBytes)/2 + loss + p/2 + 3*p + 8 + p},
		// The states of one of four.
		{"zero 1", training.Options{Zero: 1, GPUs: 4}, hBytes, p, (2*p + 8) / 4, p + xBytes + zBytes + loss + p + (2*p+8)/4 + p/4},
		{"zero 2", training.Options{Zero: 2, GPUs: 4}, hBytes, p / 4, (2*p + 8) / 4, p + xBytes + zBytes + loss + p/4 + (2*p+8)/4 + p/4},
		{"zero 3", training.Options{Zero: 3, GPUs: 4}, hBytes, p / 4, (2*p + 8) / 4, p/4 + xBytes + zBytes + loss + p/4 + (2*p+8)/4 + p/4},
	} {
		res := simulate(t, perceptron(), c.opts)
		equal(t, c.name+": saved", res.SavedBytes, c.saved)
		equal(t, c.name+": gradients", res.GradientBytes, c.gradients)
		equal(t, c.name+": states", res.OptimizerBytes, c.states)
		equal(t, c.name+": most in the step", res.Timeline.MaxStep, c.step)
	}
}

// TestLoRA trains two factors of rank 2 beside each layer: 100x2, 2x50, 50x2
// and 2x10. Kept are the relu's result (for B of the second layer's A, and the
// relu), and the products with the thin factors, 16x2 each; of the second
// layer also nothing else, since the weights are frozen.
func TestLoRA(t *testing.T) {
	res := simulate(t, perceptron(), training.Options{LoRARank: 2})
	equal(t, "gradients", res.GradientBytes, 4*(200+100+100+20))
	equal(t, "saved", res.SavedBytes, hBytes+2*16*2*4)
}

// TestAccumulate has the gradients of former passes from the start.
func TestAccumulate(t *testing.T) {
	const p = aBytes + bBytes
	res := simulate(t, perceptron(), training.Options{Optimizer: training.SGD, Accumulate: 4})
	equal(t, "start", res.Timeline.Initial, p+xBytes+p)
	// The new gradient of a, and of h, beside all former ones.
	equal(t, "most in backward", res.Timeline.MaxBackward, p+xBytes+p+zBytes+loss+hBytes+aBytes)
}

// TestOptionErrors refuses values that do not exist.
func TestOptionErrors(t *testing.T) {
	r, err := shapeinfer.Infer(perceptron().Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, opts := range []training.Options{
		{Optimizer: 200}, {Precision: 200}, {Attention: 200}, {Loss: 200}, {InPlace: 200}, {Zero: 4}, {Zero: -1}, {GPUs: -1}, {Accumulate: -1}, {LoRARank: -1},
		{Dropout: training.DropoutRate(1)}, {Dropout: training.DropoutRate(-.1)}, {Dropout: training.DropoutRate(math.NaN())},
	} {
		var wrong *training.OptionError
		if _, err := training.Simulate(r, opts); !errors.As(err, &wrong) || len(wrong.Known) == 0 {
			t.Errorf("%+v: %v", opts, err)
		}
		if err := opts.Check(); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
}

// TestUnknownSize gives a reason instead of numbers.
func TestUnknownSize(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 4).InitZeros("w", onnxgraph.Float, 4, 4).
		Node("MatMul", []string{"x", "w"}, []string{"y"}).Output("y").Model(t)
	r, err := shapeinfer.Infer(m, shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var unknown *training.UnknownError
	if _, err := training.Simulate(r, training.Options{}); !errors.As(err, &unknown) || unknown.Code == "" {
		t.Errorf("error %v", err)
	}
}
