package training

import (
	"fmt"
	"strings"
)

// Check refuses values that do not exist, with an [OptionError].
func (o Options) Check() error {
	for _, c := range []struct {
		option, value string
		known         []string
	}{
		{"optimizer", o.Optimizer, Optimizers()},
		{"precision", o.Precision, Precisions},
		{"attention", o.Attention, []string{"auto", "fused", "eager"}},
		{"loss", o.Loss, []string{"sum", "cross_entropy"}},
		{"inplace", o.InPlace, []string{"auto", "on", "off"}},
	} {
		if _, err := choice(c.option, c.value, c.known...); err != nil {
			return err
		}
	}
	if o.Checkpoint != "" && o.Checkpoint != "none" && o.Checkpoint != "sqrt" {
		var n int
		if _, err := fmt.Sscanf(o.Checkpoint, "every-%d", &n); err != nil || n < 1 || strings.TrimPrefix(o.Checkpoint, "every-") != fmt.Sprint(n) {
			return &OptionError{"checkpoint", o.Checkpoint, []string{"none", "sqrt", "every-N"}}
		}
	}
	switch {
	case o.Dropout != -1 && o.Dropout < 0 || o.Dropout >= 1 || o.Dropout != o.Dropout:
		return &OptionError{"dropout", fmt.Sprint(o.Dropout), []string{"a probability of at least 0 and below 1, or -1 for none"}}
	case o.Zero < 0 || o.Zero > 3:
		return &OptionError{"zero", fmt.Sprint(o.Zero), []string{"0", "1", "2", "3"}}
	case o.GPUs < 0 || o.Accumulate < 0 || o.LoRARank < 0:
		return &OptionError{"gpus, accumulate and lora-rank", fmt.Sprint(min(o.GPUs, o.Accumulate, o.LoRARank)), []string{"a number of at least 0"}}
	}
	return nil
}
