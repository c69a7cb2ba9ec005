package accuracy

import (
	"onnxmem/report"
	"onnxmem/testdata/corpus"
)

// A Comparison is all of the estimates beside the truth.
type Comparison struct {
	Reports   map[string]*report.Result // by model, at the sizes of its first run
	Inference []Figure
	Skipped   int // runs whose sizes hang on run-time values

	Default   Steps // PyTorch's usual loop
	Options   Steps // what changes what is kept: loss, attention, autocast, checkpoints, frozen layers
	Dropout   Steps // masks included, of the modules that have dropout
	Rewritten Steps // of exports that ONNX Runtime's optimizer or a conversion to 16 bits rewrote
}

// Steps are the figures of training steps.
type Steps struct {
	Saved []Figure // what autograd holds at the end of the forward pass
	Peak  []Figure
}

// Compare makes a report on every recorded run. root is the folder of the
// records, as [corpus.FindRoot] finds it.
func Compare(root string) (*Comparison, error) {
	zoo, err := corpus.ReadZoo(root)
	if err != nil {
		return nil, err
	}
	records, err := corpus.ReadTraining(root)
	if err != nil {
		return nil, err
	}
	c := &Comparison{}
	if err := c.inference(zoo); err != nil {
		return nil, err
	}
	if err := c.training(zoo, records); err != nil {
		return nil, err
	}
	return c, nil
}
