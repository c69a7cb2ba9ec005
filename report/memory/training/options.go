package training

import (
	"onnxmem/report/memory"
	"onnxmem/report/memory/internal/tape"
	"onnxmem/report/memory/weights"
)

// Options say how a model is trained. The zero Options are those of a plain
// PyTorch loop on CUDA: Adam in fp32 that updates all parameters together.
type Options struct {
	Optimizer Optimizer
	// ForLoop updates one parameter at a time, which needs fewer copies of them.
	// PyTorch's default on CUDA updates all of them together (foreach=True).
	ForLoop bool
	// Fused updates in one kernel, without temporaries, where the optimizer
	// has one ([Optimizer.HasFused]); it goes before ForLoop.
	Fused     bool
	Precision Precision
	Attention Attention
	Loss      Loss
	Dropout   Dropout
	// Accumulate is the number of backward passes per step; 0 means 1.
	Accumulate int
	// LoRARank trains only two factors of that rank beside each linear layer;
	// 0 trains the layers themselves.
	LoRARank   int
	Checkpoint Checkpoint
	// Zero is the stage of sharding over GPUs (Rajbhandari et al., ZeRO,
	// 2020): 1 splits the optimizer's states, 2 gradients too, 3 parameters
	// too.
	Zero int
	// GPUs is the number of devices that Zero shards over; 0 means 1.
	GPUs int
	// SkipReserved leaves Result.ReservedBytes at 0, which saves following the
	// allocator through two steps.
	SkipReserved bool
	// Names say which parameters train.
	Names   weights.NameGlobs
	InPlace InPlace
	// NoFusion trains each ONNX operator as it stands instead of the
	// framework operators that the exporter took apart.
	NoFusion bool
}

// An OptionError is a value of an option that does not exist.
type OptionError = memory.OptionError

// An UnknownError says why the memory of training a model is not known.
type UnknownError = tape.UnknownError
