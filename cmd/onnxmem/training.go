package main

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"onnxmem/report/memory/training"
)

// trainingFlags are the flags that say how a model is trained.
type trainingFlags struct {
	on      bool
	opts    training.Options
	dropout string
}

func (f *trainingFlags) register(flags *pflag.FlagSet) {
	o := &f.opts
	*o = training.DefaultOptions()
	flags.BoolVar(&f.on, "train", false, "show the training breakdown and advice (fit: fit a training step)")
	flags.StringVar(&o.Optimizer, "optimizer", "adam", "`NAME` of the optimizer: "+strings.Join(training.Optimizers(), ", "))
	flags.StringVar(&o.Precision, "precision", "fp32", "`NAME` of the precision: "+strings.Join(training.Precisions, ", "))
	flags.BoolVar(&o.Foreach, "foreach", true, "update all parameters together, with temporary copies (PyTorch's default); --foreach=false: one by one")
	flags.BoolVar(&o.Fused, "fused", false, "use the fused optimizer, without copies, where PyTorch has one")
	flags.StringVar(&o.Checkpoint, "checkpoint", "none", "`MODE` of activation checkpointing: none, sqrt, every-N (N blocks per segment)")
	flags.IntVar(&o.Accumulate, "accumulate", 1, "number `N` of backward passes per optimizer step")
	flags.StringVar(&o.Attention, "attention", "auto", "`MODE` of attention: auto, fused, eager")
	flags.StringVar(&o.Loss, "loss", "sum", "`NAME` of the loss: sum (of all outputs), cross_entropy")
	flags.StringVar(&f.dropout, "dropout", "auto", "probability `P` of dropout, which an inference export does not show; auto: where the architecture usually has it; 0: none")
	flags.StringVar(&o.InPlace, "inplace", "auto", "`MODE` of in-place activations: auto (as in common models), on, off")
	flags.IntVar(&o.LoRARank, "lora-rank", 0, "train only low-rank factors of rank `R` beside each linear layer; 0 trains the layers")
	flags.StringArrayVar(&o.Names.Freeze, "freeze", nil, "freeze weights whose name, or whose node's name, matches `GLOB`; * is any text; repeatable")
	flags.StringArrayVar(&o.Names.Trainable, "trainable", nil, "train only weights whose name, or whose node's name, matches `GLOB`; repeatable")
	flags.BoolVar(&o.Untie, "untie", false, "train copies of a weight separately; without it, weights of equal contents (also transposed) count once")
	flags.IntVar(&o.Zero, "zero", 0, "ZeRO `STAGE`: 1 shards optimizer states, 2 also gradients, 3 also parameters")
	flags.IntVar(&o.GPUs, "gpus", 1, "number `N` of devices that --zero shards over")
	flags.BoolVar(&o.AsWritten, "no-fusion", false, "train the ONNX operators as they are, without restoring fused framework operators")
}

// options checks the flags. The simulation itself refuses what does not exist.
func (f *trainingFlags) options() (training.Options, error) {
	if err := f.setDropout(); err != nil {
		return f.opts, err
	}
	if err := f.opts.Check(); err != nil {
		return f.opts, exitWith(exitUsage, err)
	}
	return f.opts, nil
}

// setDropout reads --dropout into the options, in which 0 means auto and -1
// none.
func (f *trainingFlags) setDropout() error {
	if f.dropout == "auto" {
		f.opts.Dropout = 0
		return nil
	}
	p, err := strconv.ParseFloat(f.dropout, 64)
	if err != nil || !(p >= 0 && p < 1) {
		return usagef("--dropout %q: want auto or a probability from 0 to below 1", f.dropout)
	}
	if f.opts.Dropout = p; p == 0 {
		f.opts.Dropout = -1
	}
	return nil
}
