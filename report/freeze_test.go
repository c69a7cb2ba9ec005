package report_test

import (
	"testing"

	"onnxmem/report"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// TestFrozenCountsAsSimulated: the parameters that the report counts are those
// to which the simulated backward pass gives gradients, 4 bytes each, also
// where names freeze some.
func TestFrozenCountsAsSimulated(t *testing.T) {
	for _, c := range []struct {
		model  string
		names  weights.NameGlobs
		trains int64 // known from the architecture
	}{
		{"resnet18_ts17", weights.NameGlobs{}, 11_689_512},
		{"resnet18_ts17", weights.NameGlobs{Trainable: []string{"fc.*"}}, 512*1000 + 1000},
		{"resnet18_ts17", weights.NameGlobs{Freeze: []string{"/layer?/*"}}, 9408 + 128 + 512*1000 + 1000}, // the first convolution with its normalisation, and the last layer,
		{"vgg16_ts17", weights.NameGlobs{Freeze: []string{"features.*"}}, 123_642_856},
	} {
		opts := training.Options{}
		opts.Names = c.names
		a, err := report.Analyze(runs.Model(t, corpus.ZooNamed(t, c.model).Model), report.Options{Training: opts})
		if err != nil {
			t.Fatal(err)
		}
		r := resultOf(t, a)
		if r.Training.GradientBytes == nil || *r.Training.GradientBytes != 4*r.Parameters.Trainable {
			t.Errorf("%s %+v: %d elements train, gradients %v", c.model, c.names, r.Parameters.Trainable, r.Training.GradientBytes)
		}
		if r.Parameters.Trainable != c.trains {
			t.Errorf("%s %+v: %d elements train, must be %d", c.model, c.names, r.Parameters.Trainable, c.trains)
		}

	}
}
