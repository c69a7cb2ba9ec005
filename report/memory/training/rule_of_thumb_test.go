package training_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
)

// TestRuleOfThumb: a matrix of 128x64 (8192 floats) and a bias of 64. Each
// optimizer keeps what its paper says of every parameter, or, factored, of its
// rows and columns; in 8 bits two bytes an element and two scales for each 256,
// and 8 bytes an element of what is smaller than 4096.
func TestRuleOfThumb(t *testing.T) {
	const matrix, bias = 4 * 128 * 64, 4 * 64
	m := modeltest.New(17).Input("x", onnxgraph.Float, 4, 128).InitZeros("w", onnxgraph.Float, 128, 64).InitZeros("b", onnxgraph.Float, 64).
		Node("Gemm", []string{"x", "w", "b"}, []string{"y"}).Output("y")
	w := weights.Collect(onnxgraph.Resolve(m.Model(t)), weights.Options{})
	const all = matrix + bias
	states := map[string]int64{
		"sgd": 0, "momentum": all, "nesterov": all, "adagrad": all, "lion": all, "asgd": all,
		"adam": 2 * all, "adamw": 2 * all, "nadam": 2 * all, "radam": 2 * all, "adamax": 2 * all, "adadelta": 2 * all, "lamb": 2 * all, "sophia": 2 * all, "rprop": 2 * all,
		"amsgrad": 3 * all,
		"rmsprop": all, "rmsprop-centered": 2 * all, "rmsprop-momentum": 2 * all, "rmsprop-centered-momentum": 3 * all,
		"adafactor": 4*(128+64) + bias,
		"adam8bit":  2*8192 + 2*4*32 + 8*64, "adamw8bit": 2*8192 + 2*4*32 + 8*64,
		"muon": matrix + 2*bias,
	}
	for _, optimizer := range training.Optimizers() {
		want, ok := states[optimizer.String()]
		if !ok {
			t.Errorf("%s: not tested", optimizer)
		}
		size := training.RuleOfThumb(w, memory.ExactSize(1000), memory.ExactSize(10), optimizer)
		if n, exact := size.Exact(); !exact || n != 2*all+want+2*1000+10 {
			t.Errorf("%s: %d, must be %d", optimizer, n, 2*all+want+2*1000+10)
		}
	}
}
