package training

import (
	"fmt"
	"slices"
	"strings"

	"onnxmem/report/memory/internal/tape"
	"onnxmem/report/memory/weights"
)

// Options say how a model is trained. DefaultOptions are those of a plain
// PyTorch loop; the zero value of a field means its default, but for Foreach.
type Options struct {
	// Optimizer is one of Optimizers; adam when empty.
	Optimizer string
	// Foreach updates all parameters together, which is PyTorch's default on
	// CUDA; without it the step is a loop over parameters.
	Foreach bool
	// Fused updates in one kernel, without temporaries, where the optimizer
	// has one; it goes before Foreach.
	Fused bool
	// Precision is one of Precisions; fp32 when empty.
	Precision string
	// Attention says what runs attention: auto, fused or eager.
	Attention string
	// Loss is sum, of all outputs, or cross_entropy.
	Loss string
	// Dropout is the probability of the dropouts that an inference export no
	// longer shows. 0 assumes them in language models with learned positions
	// only, which as a rule train with them, and says so; -1 leaves them out.
	Dropout float64
	// Accumulate is the number of backward passes per step; 0 means 1.
	Accumulate int
	// LoRARank trains only two factors of that rank beside each linear layer;
	// 0 trains the layers themselves.
	LoRARank int
	// Checkpoint says what is recomputed: none, sqrt, every-N (segments of N
	// blocks between articulation points of the graph).
	Checkpoint string
	// Zero is the stage of sharding over GPUs (Rajbhandari et al., ZeRO,
	// 2020): 1 splits the optimizer's states, 2 gradients too, 3 parameters
	// too.
	Zero int
	GPUs int
	// SkipReserved leaves Result.ReservedBytes at 0, which saves following the
	// allocator through two steps.
	SkipReserved bool
	// Names say which parameters train.
	Names weights.NameGlobs
	// Untie trains copies of a weight each by itself; see [weights.Options].
	Untie bool
	// InPlace says which activations write over their input: auto, on, off.
	InPlace string
	// BatchNorm says how folded BatchNormalizations are found.
	BatchNorm weights.BatchNormMode
	// AsWritten trains each ONNX operator as it stands instead of the
	// framework operators that the exporter took apart.
	AsWritten bool
}

// DefaultOptions are Adam in fp32 with foreach, as PyTorch runs it on CUDA.
func DefaultOptions() Options { return Options{Foreach: true} }

// An OptionError is a value of an option that does not exist.
type OptionError struct {
	Option, Value string
	Known         []string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("training: %s %q: must be one of %s", e.Option, e.Value, strings.Join(e.Known, ", "))
}

// An UnknownError says why the memory of training a model is not known.
type UnknownError = tape.UnknownError

// Precisions are the number formats of training:
//
//	fp32         everything in 32 bits
//	amp-fp16     autocast: 32-bit weights, 16-bit products
//	amp-bf16     the same with bfloat16
//	fp16, bf16   weights, gradients, states and activations in 16 bits
//	bf16-master  bf16 with a 32-bit copy of the weights and 32-bit states
var Precisions = []string{"fp32", "amp-fp16", "amp-bf16", "bf16", "fp16", "bf16-master"}

// choice checks an option against its values; the first is the default.
func choice(option, value string, known ...string) (string, error) {
	if value == "" {
		return known[0], nil
	}
	if slices.Contains(known, value) {
		return value, nil
	}
	return "", &OptionError{option, value, known}
}
