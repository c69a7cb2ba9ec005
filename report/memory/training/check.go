package training

import (
	"fmt"
	"strconv"
	"strings"

	"onnxmem/report/memory/internal/tape"
)

// Check refuses values that do not exist, with an [OptionError].
func (o Options) Check() error {
	_, err := newPlan(o)
	return err
}

// A plan is a checked set of options.
type plan struct {
	Options
	optimizer *optimizer
	precision string
	attention tape.Attention
	inPlace   tape.InPlace
	every     int // blocks per checkpoint; 0 for none, -1 for the root of their number
}

// The names of ways to run attention and activations, the default first.
var (
	attentionNames = []string{"auto", "fused", "eager"}
	inPlaceNames   = []string{"auto", "on", "off"}

	attentions = map[string]tape.Attention{"auto": tape.AttentionAuto, "fused": tape.AttentionFused, "eager": tape.AttentionEager}
	inPlaces   = map[string]tape.InPlace{"auto": tape.InPlaceAuto, "on": tape.InPlaceOn, "off": tape.InPlaceOff}
)

func newPlan(opts Options) (*plan, error) {
	p := &plan{Options: opts}
	var err error
	if p.optimizer, err = findOptimizer(opts.Optimizer); err != nil {
		return nil, err
	}
	if p.every, err = checkpointing(opts.Checkpoint); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		option, value string
		known         []string
		chosen        *string
	}{
		{"precision", opts.Precision, Precisions, &p.precision},
		{"attention", opts.Attention, attentionNames, &p.Attention},
		{"inplace", opts.InPlace, inPlaceNames, &p.InPlace},
		{"loss", opts.Loss, []string{"sum", "cross_entropy"}, &p.Loss},
	} {
		if *c.chosen, err = choice(c.option, c.value, c.known...); err != nil {
			return nil, err
		}
	}
	p.attention, p.inPlace = attentions[p.Attention], inPlaces[p.InPlace]
	if err := opts.checkNumbers(); err != nil {
		return nil, err
	}
	p.GPUs, p.Accumulate = max(opts.GPUs, 1), max(opts.Accumulate, 1)
	return p, nil
}

// checkNumbers refuses numbers that mean nothing.
func (o Options) checkNumbers() error {
	notNegative := []string{"a number of at least 0"}
	switch {
	case o.Dropout != -1 && !(o.Dropout >= 0 && o.Dropout < 1): // NaN, too
		return &OptionError{"dropout", fmt.Sprint(o.Dropout), []string{"a probability of at least 0 and below 1, or -1 for none"}}
	case o.Zero < 0 || o.Zero > 3:
		return &OptionError{"zero", strconv.Itoa(o.Zero), []string{"0", "1", "2", "3"}}
	case o.GPUs < 0:
		return &OptionError{"gpus", strconv.Itoa(o.GPUs), notNegative}
	case o.Accumulate < 0:
		return &OptionError{"accumulate", strconv.Itoa(o.Accumulate), notNegative}
	case o.LoRARank < 0:
		return &OptionError{"lora-rank", strconv.Itoa(o.LoRARank), notNegative}
	}
	return nil
}

// checkpointing reads the option: none, sqrt, or every-N.
func checkpointing(option string) (every int, err error) {
	switch option {
	case "", "none":
		return 0, nil
	case "sqrt":
		return -1, nil
	}
	if n, ok := strings.CutPrefix(option, "every-"); ok {
		if k, err := strconv.Atoi(n); err == nil && k > 0 && strconv.Itoa(k) == n {
			return k, nil
		}
	}
	return 0, &OptionError{"checkpoint", option, []string{"none", "sqrt", "every-N"}}
}
