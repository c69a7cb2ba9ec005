package finding

// Assumptions.
const (
	// AssumedDimension: Symbol is dynamic and counts as Size.
	AssumedDimension Code = "assumed-dimension"
	// AssumedSmallest: the same for a Symbol other than the batch, so that numbers
	// are those of the smallest input.
	AssumedSmallest Code = "assumed-smallest"
	// FormulaDomain: formulas hold for dynamic dimensions of at least 1.
	FormulaDomain Code = "formula-domain"
	// AssumedSize: the model is invalid at the assumed sizes.
	AssumedSize Code = "assumed-size"
)

// Weights and parameters.
const (
	// FoldedBatchNorm: Count BatchNormalizations with scales of Elements.
	FoldedBatchNorm Code = "folded-batchnorm"
	// QuantizedWeights: Count tensors of Elements.
	QuantizedWeights Code = "quantized-weights"
	// PossiblyTied: Tensor, of type Detail, has the shape of the embedding table
	// Related transposed; it has Elements.
	PossiblyTied Code = "possibly-tied-weights"
	// DuplicateWeights: Tensor and Related are equal; Count groups are, and
	// storing each once saves Bytes.
	DuplicateWeights Code = "duplicate-weights"
	// RoleByName: only the names of Count tensors of Bytes tell whether they train;
	// Tensor is the largest.
	RoleByName Code = "role-by-name"
	// BatchNormByName: only names tell that Count convolutions had a
	// BatchNormalization, whose vectors take Bytes that the file does not store.
	BatchNormByName Code = "batchnorm-by-name"
	// BatchNormByAuthor: the program that the model is from folds
	// BatchNormalizations before it exports; otherwise as BatchNormByName.
	BatchNormByAuthor Code = "batchnorm-by-author"
	// WeightNormByName: only names tell that Count weights of Bytes are computed in
	// each forward pass; Tensor is the largest.
	WeightNormByName Code = "weight-norm-by-name"
	// FixedWeights: Count tensors of Bytes do not train by what they hold; Tensor is
	// the largest.
	FixedWeights Code = "fixed-weights"
	// TiedWeights: Count tensors of Bytes are copies; Tensor is one of Related.
	TiedWeights Code = "tied-weights"
	// EqualWeights: the same, but they train separately.
	EqualWeights Code = "equal-weights"
	// UnreadWeights: no node reads Count tensors of Bytes; Tensor is the largest.
	UnreadWeights Code = "unread-weights"
	// PatternUnmatched: the pattern in Options matches no parameter.
	PatternUnmatched Code = "pattern-unmatched"
)

// Why the peak of a run is what it is. Peak is that of activations.
const (
	// PeakInSubgraph: the peak falls inside Node, whose activations take
	// Peak.After of Peak.Before.
	PeakInSubgraph Code = "peak-in-subgraph"
	// PeakTransposedWeight: Tensor is the weight Related transposed by Node; there
	// are Count such tensors of Bytes together.
	PeakTransposedWeight Code = "peak-transposed-weight"
	// PeakCastWeight: the same of a weight that is cast to type Detail.
	PeakCastWeight Code = "peak-cast-weight"
	// PeakDequantizedWeight: the same of a weight that is dequantized.
	PeakDequantizedWeight Code = "peak-dequantized-weight"
	// PeakConstant: the same of a tensor that is computed from weights otherwise.
	PeakConstant Code = "peak-constant"
	// PeakAttentionScores: scores take Bytes; Tensor of type Detail is one.
	PeakAttentionScores Code = "peak-attention-scores"
	// PeakConcat: Node copies Count tensors, which take Bytes, into Tensor.
	PeakConcat Code = "peak-concat"
	// PeakSkipConnection: Elements tensors of Bytes are held; the largest, Tensor,
	// for Count nodes until Node reads it.
	PeakSkipConnection Code = "peak-skip-connection"
	// PeakOutput: Tensor of Bytes is an output of the model.
	PeakOutput Code = "peak-output"
	// PeakReuseInputs: elementwise nodes that reuse inputs change the Peak.
	PeakReuseInputs Code = "peak-reuse-inputs"
)

// What is not known of a run.
const (
	// SizeUnknown: inference says why in Detail.
	SizeUnknown Code = "size-unknown"
	// SizeOfStrings: strings have no size before a run.
	SizeOfStrings Code = "size-of-strings"
	// SizeTooLarge: more bytes than 63 bits count.
	SizeTooLarge Code = "size-too-large"
	// SizeDataDependent: the size depends on tensor values.
	SizeDataDependent Code = "size-data-dependent"
	// CallsTruncated: functions call functions too often to follow.
	CallsTruncated Code = "calls-truncated"
	// RuntimeUnavailable: there is no plan of the runtime; Detail says why.
	RuntimeUnavailable Code = "runtime-unavailable"
	// RuntimeSizesUnknown: the runtime's plan holds tensors of unknown size, or
	// memory that Detail names and that the plan leaves out.
	RuntimeSizesUnknown Code = "runtime-sizes-unknown"
	// Internal: a bug of this program; Detail says where.
	Internal Code = "internal"
)

// What training assumes and leaves out.
const (
	// AttentionMaskAssumed: masks are none or causal.
	AttentionMaskAssumed Code = "attention-mask-assumed"
	// AttentionFusedAssumed: attention runs as one kernel.
	AttentionFusedAssumed Code = "attention-fused-assumed"
	// AttentionUnfusedAssumed: attention runs unfused.
	AttentionUnfusedAssumed Code = "attention-unfused-assumed"
	// DropoutNotShown: no dropout is counted.
	DropoutNotShown Code = "dropout-not-shown"
	// DropoutAssumed: masks of Bytes are counted.
	DropoutAssumed Code = "dropout-assumed"
	// InPlaceAssumed: Op runs in place.
	InPlaceAssumed Code = "in-place-assumed"
	// RecurrentApproximated: recurrent layers are approximate.
	RecurrentApproximated Code = "recurrent-approximated"
	// DerivativeAssumed: Op saves all inputs and outputs.
	DerivativeAssumed Code = "derivative-assumed"
	// Stored16Bit: weights stored in 16 bits train in 32.
	Stored16Bit Code = "weights-stored-16-bit"
	// NothingTrains: no parameter gets a gradient.
	NothingTrains Code = "nothing-trains"
	// LargeVocabulary: the output has Count classes; a cross entropy takes Bytes
	// twice.
	LargeVocabulary Code = "large-vocabulary"
	// GradientsAccumulated: Count passes make one step.
	GradientsAccumulated Code = "gradients-accumulated"
	// AutocastCopies: autocast keeps 16-bit copies of the weights.
	AutocastCopies Code = "autocast-copies"
	// CheckpointNoEffect: there is nothing to cut at.
	CheckpointNoEffect Code = "checkpoint-no-effect"
	// CheckpointOneBlock: one block holds nearly all saved tensors.
	CheckpointOneBlock Code = "checkpoint-one-block"
)

// Why the memory of training is not known. Node is where, if one is meant.
const (
	// TrainingShapeUnknown: Tensor has no known shape; Detail may say why.
	TrainingShapeUnknown Code = "training-shape-unknown"
	// TrainingNoTensor: Tensor is a sequence, map or optional.
	TrainingNoTensor Code = "training-not-a-tensor"
	// TrainingUnknownOp: Op is not known.
	TrainingUnknownOp Code = "training-unknown-operator"
	// TrainingControlFlow: Op repeats a subgraph.
	TrainingControlFlow Code = "training-control-flow"
	// TrainingTooLarge: sizes do not fit 63 bits.
	TrainingTooLarge Code = "training-too-large"
	// TrainingTooDeep: functions call functions too often or too deep.
	TrainingTooDeep Code = "training-too-deep"
	// TrainingMissingInput: Op reads Tensor, which no node makes, or an input that
	// is left out.
	TrainingMissingInput Code = "training-missing-input"
	// TrainingInvalid: the node is invalid; Detail says how.
	TrainingInvalid Code = "training-invalid-node"
)

// What makes training smaller. Options are the change.
const (
	AdviceCheckpointSqrt   Code = "advice-checkpoint-sqrt"
	AdviceCheckpointBlocks Code = "advice-checkpoint-blocks"
	AdviceFusedOptimizer   Code = "advice-fused-optimizer"
	AdviceSingleUpdates    Code = "advice-single-updates"
	AdviceInPlace          Code = "advice-in-place"
	AdviceAutocast         Code = "advice-autocast-bf16"
	AdviceBFloat16         Code = "advice-bf16"
	AdviceEightBitStates   Code = "advice-8-bit-states"
	AdviceFactoredStates   Code = "advice-factored-states"
	AdviceStateless        Code = "advice-stateless-optimizer"
	AdviceLoRA             Code = "advice-lora"
	AdviceLastLayer        Code = "advice-last-layer"
	// AdviceSmallerBatch: Symbol = Size and Count passes a step; Op is
	// BatchNormalization where the model has some.
	AdviceSmallerBatch Code = "advice-smaller-batch"
	// AdviceTogether: all changes that do not alter the result.
	AdviceTogether Code = "advice-together"
)

// What a fit says.
const (
	// WeightsExceedBudget: the weights take Bytes; no Symbol is small enough.
	WeightsExceedBudget Code = "weights-exceed-budget"
	// SizeNotPossible: the model is invalid at Symbol = Size; Detail says why.
	SizeNotPossible Code = "size-not-possible"
	// SearchEnded: the model is large, so that the search ended after Count sizes.
	SearchEnded Code = "search-ended"
	// SizeGap: Symbol = Size does not fit although Count does.
	SizeGap Code = "size-gap"
)
