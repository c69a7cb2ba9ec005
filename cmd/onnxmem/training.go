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
	flags.BoolVar(&f.on, "train", false, "training: show how its memory comes about, or fit it rather than one run")
	flags.StringVar(&o.Optimizer, "optimizer", "adam", "optimizer: "+strings.Join(training.Optimizers(), ", "))
	flags.StringVar(&o.Precision, "precision", "fp32", "number formats of training: "+strings.Join(training.Precisions, ", "))
	flags.BoolVar(&o.Foreach, "foreach", true, "the optimizer updates all parameters together, which needs copies of them")
	flags.BoolVar(&o.Fused, "fused", false, "the optimizer updates in one kernel, without copies, where it has one")
	flags.StringVar(&o.Attention, "attention", "auto", "attention in training: auto, fused, eager")
	flags.StringVar(&o.Loss, "loss", "sum", "loss: sum (of all outputs), cross_entropy")
	flags.StringVar(&f.dropout, "dropout", "auto", "dropouts that an inference export no longer shows: auto (those that the architecture is known to train with), 0 (none), or their probability")
	flags.IntVar(&o.Accumulate, "accumulate", 1, "backward passes per optimizer step")
	flags.IntVar(&o.LoRARank, "lora-rank", 0, "train only low-rank factors of that rank beside each linear layer; 0 trains the layers")
	flags.StringArrayVar(&o.Names.Freeze, "freeze", nil, "`GLOB` of names of weights, or of nodes that read them, that do not train; * stands for any characters; repeatable")
	flags.StringArrayVar(&o.Names.Trainable, "trainable", nil, "`GLOB` of names of weights, or of nodes that read them, that train, all others being frozen; repeatable")
	flags.BoolVar(&o.Untie, "untie", false, "train copies of a weight each by itself: weights of equal contents, transposed too, otherwise count once")
	flags.StringVar(&o.Checkpoint, "checkpoint", "none", "activation checkpointing: none, sqrt, every-N")
	flags.IntVar(&o.Zero, "zero", 0, "ZeRO stage of sharding: 1 optimizer states, 2 and gradients, 3 and parameters")
	flags.IntVar(&o.GPUs, "gpus", 1, "devices that --zero shards over")
	flags.StringVar(&o.InPlace, "inplace", "auto", "activations write over their input in training: auto (as frameworks' models do), on, off")
	flags.BoolVar(&o.AsWritten, "as-written", false, "train each ONNX operator as it stands, without folding back what the exporter took apart")
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
		return usagef("--dropout %q: want auto, or a probability of at least 0 and below 1", f.dropout)
	}
	if f.opts.Dropout = p; p == 0 {
		f.opts.Dropout = -1
	}
	return nil
}
