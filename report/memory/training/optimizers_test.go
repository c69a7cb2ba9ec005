package training

import (
	"math"
	"testing"

	"onnxmem/report/memory/internal/tape"
	"onnxmem/testdata/corpus"
)

// TestOptimizerSteps compares states and temporaries with those measured of
// each optimizer's third step in PyTorch and timm.
func TestOptimizerSteps(t *testing.T) {
	measured := corpus.OptimizerStepsOf(t)
	names := map[string]string{
		"sgd": "sgd", "momentum": "momentum", "nesterov": "nesterov", "adam": "adam", "adamw": "adamw (weight_decay 0.01)",
		"amsgrad": "adam amsgrad", "adagrad": "adagrad", "rmsprop": "rmsprop", "rmsprop-centered": "rmsprop centered",
		"rmsprop-momentum": "rmsprop momentum", "rmsprop-centered-momentum": "rmsprop centered momentum", "adadelta": "adadelta",
		"adamax": "adamax", "nadam": "nadam", "radam": "radam", "rprop": "rprop", "asgd": "asgd", "lion": "lion (timm)", "lamb": "lamb (timm)",
		"adafactor": "adafactor (torch)", "muon": "muon (torch, matrices only)",
	}
	var params []tape.Param
	all := int64(0)
	for _, dims := range measured.Parameters {
		params = append(params, tape.Param{Dims: dims})
		all += 4 * elements(dims)
	}
	for name, recorded := range names {
		named, err := ParseOptimizer(name)
		if err != nil {
			t.Fatal(err)
		}
		o := &optimizerTable[named]
		ways := measured.Optimizers[recorded]
		if len(ways) == 0 {
			t.Errorf("%s: no record %q", name, recorded)
		}
		for way, want := range ways {
			state := int64(0)
			for _, p := range params {
				state += o.state(p.Dims, 4)
			}
			near(t, name+" "+way+" state", float64(state)/float64(all), want.StatePerAll, .00005)
			temps := o.temporaries(params, 4, way == "foreach", way == "fused")
			near(t, name+" "+way+" temporaries", float64(temps)/float64(all), want.TempPerAll, .0009)
		}
	}
}

// near allows for records of four digits, and for one optimizer that is 0.0009
// off: adafactor without foreach.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: %.4f of the parameters, measured %.4f", what, got, want)
	}
}

// TestSpecialStates checks the states that no record has by hand.
func TestSpecialStates(t *testing.T) {
	for _, c := range []struct {
		optimizer Optimizer
		dims      []int64
		want      int64
	}{
		{Adam8bit, []int64{64, 64}, 2*4096 + 2*4*16},      // two bytes each, and 16 blocks of 256 with two scales
		{Adam8bit, []int64{1000}, 8 * 1000},               // small tensors stay at 32 bits
		{Adafactor, []int64{64, 32, 3, 3}, 4*6*64*32 + 4}, // rows and columns of each 3x3 kernel, and a counter
		{Adafactor, []int64{100}, 4*100 + 4},
		{Muon, []int64{20, 30}, 4 * 600},
		{Muon, []int64{20}, 8*20 + 4}, // vectors are Adam's
	} {
		if got := optimizerTable[c.optimizer].state(c.dims, 4); got != c.want {
			t.Errorf("%s of %v keeps %d bytes, must be %d", c.optimizer, c.dims, got, c.want)
		}
	}
}
