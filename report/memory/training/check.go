package training

import (
	"strconv"

	"onnxmem/report/memory/internal/enum"
)

// Check refuses values that do not exist, with an [*OptionError].
func (o Options) Check() error {
	for _, c := range []struct {
		names *enum.Names
		value uint8
	}{
		{optimizerNames(), uint8(o.Optimizer)}, {precisionNames(), uint8(o.Precision)}, {attentionNames(), uint8(o.Attention)},
		{inPlaceNames(), uint8(o.InPlace)}, {lossNames(), uint8(o.Loss)},
	} {
		if err := c.names.Check(c.value); err != nil {
			return err
		}
	}
	if err := o.Dropout.check(); err != nil {
		return err
	}
	return o.checkNumbers()
}

// checkNumbers refuses numbers that mean nothing.
func (o Options) checkNumbers() error {
	notNegative := []string{"a number of at least 0"}
	switch {
	case o.Zero < 0 || o.Zero > 3:
		return &OptionError{Option: "zero", Value: strconv.Itoa(o.Zero), Known: []string{"0", "1", "2", "3"}}
	case o.GPUs < 0:
		return &OptionError{Option: "gpus", Value: strconv.Itoa(o.GPUs), Known: notNegative}
	case o.Accumulate < 0:
		return &OptionError{Option: "accumulate", Value: strconv.Itoa(o.Accumulate), Known: notNegative}
	case o.LoRARank < 0:
		return &OptionError{Option: "lora-rank", Value: strconv.Itoa(o.LoRARank), Known: notNegative}
	}
	return nil
}

// A plan is a checked set of options, with numbers in place of their defaults.
type plan struct {
	Options
	optimizer *optimizer
}

func newPlan(opts Options) (*plan, error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	p := &plan{Options: opts, optimizer: &optimizerTable[opts.Optimizer]}
	p.GPUs, p.Accumulate = max(opts.GPUs, 1), max(opts.Accumulate, 1)
	return p, nil
}
