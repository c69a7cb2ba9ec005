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
	flags.BoolVar(&f.on, "train", false, "show the training breakdown and advice (fit: fit a training step)")
	optionFlag(flags, &o.Optimizer, "optimizer", "`NAME` of the optimizer")
	optionFlag(flags, &o.Precision, "precision", "`NAME` of the precision")
	flags.BoolVar(&f.foreach, "foreach", true, "update all parameters together, with temporary copies (PyTorch's default); --foreach=false: one by one")
	flags.BoolVar(&o.Fused, "fused", false, "use the fused optimizer, without copies, where PyTorch has one")
	optionFlag(flags, &o.Checkpoint, "checkpoint", "`MODE` of activation checkpointing (every-N: N blocks per segment)")
	flags.IntVar(&o.Accumulate, "accumulate", 1, "number `N` of backward passes per optimizer step")
	optionFlag(flags, &o.Attention, "attention", "`MODE` of attention")
	optionFlag(flags, &o.Loss, "loss", "`NAME` of the loss (sum: of all outputs)")
	optionFlag(flags, &o.Dropout, "dropout", "probability `P` of dropout, which an inference export does not show (auto: where the architecture usually has it)")
	optionFlag(flags, &o.InPlace, "inplace", "`MODE` of in-place activations (auto: as in common models)")
	flags.IntVar(&o.LoRARank, "lora-rank", 0, "train only low-rank factors of rank `R` beside each linear layer; 0 trains the layers")
	flags.StringArrayVar(&o.Names.Freeze, "freeze", nil, "freeze weights whose name, or whose node's name, matches `GLOB`; * is any text; repeatable")
	flags.StringArrayVar(&o.Names.Trainable, "trainable", nil, "train only weights whose name, or whose node's name, matches `GLOB`; repeatable")
	flags.BoolVar(&f.untie, "untie", false, "train copies of a weight separately; without it, weights of equal contents (also transposed) count once")
	flags.IntVar(&o.Zero, "zero", 0, "ZeRO `STAGE`: 1 shards optimizer states, 2 also gradients, 3 also parameters")
	flags.IntVar(&o.GPUs, "gpus", 1, "number `N` of devices that --zero shards over")
	flags.BoolVar(&o.NoFusion, "no-fusion", false, "train the ONNX operators as they are, without restoring fused framework operators")
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
