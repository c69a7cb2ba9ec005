package main

import (
	"github.com/spf13/pflag"

	"onnxmem/report/memory/training"
)

// trainingFlags are the flags that say how a model is trained.
type trainingFlags struct {
	on      bool
	foreach bool
	untie   bool
	opts    training.Options
}

func (f *trainingFlags) register(flags *pflag.FlagSet) {
	o := &f.opts
	flags.BoolVar(&f.on, "train", false, "training: show how its memory comes about, or fit it rather than one run")
	optionFlag(flags, &o.Optimizer, "optimizer", "optimizer")
	optionFlag(flags, &o.Precision, "precision", "number formats of training")
	flags.BoolVar(&f.foreach, "foreach", true, "the optimizer updates all parameters together, which needs copies of them")
	flags.BoolVar(&o.Fused, "fused", false, "the optimizer updates in one kernel, without copies, where it has one")
	optionFlag(flags, &o.Attention, "attention", "attention in training")
	optionFlag(flags, &o.Loss, "loss", "loss, sum being that of all outputs")
	optionFlag(flags, &o.Dropout, "dropout", "dropouts that an inference export no longer shows, auto being those that the architecture is known to train with")
	flags.IntVar(&o.Accumulate, "accumulate", 1, "backward passes per optimizer step")
	flags.IntVar(&o.LoRARank, "lora-rank", 0, "train only low-rank factors of that rank beside each linear layer; 0 trains the layers")
	flags.StringArrayVar(&o.Names.Freeze, "freeze", nil, "`GLOB` of names of weights, or of nodes that read them, that do not train; * stands for any characters; repeatable")
	flags.StringArrayVar(&o.Names.Trainable, "trainable", nil, "`GLOB` of names of weights, or of nodes that read them, that train, all others being frozen; repeatable")
	flags.BoolVar(&f.untie, "untie", false, "train copies of a weight each by itself: weights of equal contents, transposed too, otherwise count once")
	optionFlag(flags, &o.Checkpoint, "checkpoint", "activation checkpointing")
	flags.IntVar(&o.Zero, "zero", 0, "ZeRO stage of sharding: 1 optimizer states, 2 and gradients, 3 and parameters")
	flags.IntVar(&o.GPUs, "gpus", 1, "devices that --zero shards over")
	optionFlag(flags, &o.InPlace, "inplace", "activations write over their input in training, auto being as frameworks' models do")
	flags.BoolVar(&o.AsWritten, "as-written", false, "train each ONNX operator as it stands, without folding back what the exporter took apart")
}

// options checks the flags.
func (f *trainingFlags) options() (training.Options, error) {
	opts := f.opts
	opts.ForLoop = !f.foreach
	if err := opts.Check(); err != nil {
		return opts, exitWith(exitUsage, err)
	}
	return opts, nil
}
