package render

import (
	"fmt"

	"onnxmem/report/finding"
)

var trainingSentences = map[finding.Code]sentence{
	finding.AttentionMaskAssumed: plain("Attention masks are assumed to be none or causal; any other mask adds 4 bytes per score."),
	finding.AttentionFusedAssumed: func(s Style, _ finding.Finding) string {
		return fmt.Sprintf("Attention is assumed to run fused, PyTorch's default. Count the score matrices with %s.", s.option(finding.Attention, "eager"))
	},
	finding.AttentionUnfusedAssumed: func(s Style, _ finding.Finding) string {
		return fmt.Sprintf("Attention with a trained bias or an unusual rank is assumed to run unfused. Count it as one kernel with %s.", s.option(finding.Attention, "fused"))
	},
	finding.DropoutNotShown: func(s Style, _ finding.Finding) string {
		return fmt.Sprintf("An inference export does not show dropout, and none is counted. Count its masks with %s.", s.option(finding.Dropout, "P"))
	},
	finding.DropoutAssumed: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("Dropout is assumed (usual for language models with learned positions): +%s. Turn it off with %s.", s.size(f.Bytes), s.option(finding.Dropout, "0"))
	},
	finding.InPlaceAssumed: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("%s after a convolution or normalization is assumed to run in place, as in most convolutional networks. Count its input too with %s.", f.Op, s.option(finding.InPlace, "off"))
	},
	finding.RecurrentApproximated: plain("Recurrent layers are approximate: cuDNN does not publish the size of what it saves. Their inputs, outputs and gates count."),
	finding.DerivativeAssumed: func(_ Style, f finding.Finding) string {
		return f.Op + " is assumed to save all its inputs and outputs for backward."
	},
	finding.Stored16Bit: func(s Style, _ finding.Finding) string {
		return fmt.Sprintf("The file stores weights in 16 bits; they train in 32 here. Train them in 16 with %s, fp16 or bf16-master.", s.option(finding.Precision, "bf16"))
	},
	finding.NothingTrains: plain("Nothing trains: no parameter gets a gradient. The weights are frozen, quantized, or computed by nodes."),
	finding.LargeVocabulary: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("The last layer predicts %s classes. A cross-entropy loss saves their log-probabilities and needs a gradient of the same size, %s each: count them with %s.",
			Count(f.Count), s.size(f.Bytes), s.option(finding.Loss, "cross_entropy"))
	},
	finding.GradientsAccumulated: func(_ Style, f finding.Finding) string {
		return fmt.Sprintf("Gradients are held from the start of each pass: %s accumulate into one step.", Count(f.Count)+" passes")
	},
	finding.AutocastCopies:     plain("Autocast keeps 16-bit copies of the weights during forward and backward."),
	finding.CheckpointOneBlock: plain("Checkpointing has little effect: one block holds nearly all saved tensors and is recomputed as a whole."),
	finding.CheckpointNoEffect: plain("Checkpointing has no effect: there is no point between layers that only one activation crosses."),

	finding.TrainingShapeUnknown: func(_ Style, f finding.Finding) string {
		text := fmt.Sprintf("the shape of %s is not known", f.Tensor)
		if f.Detail != "" {
			text += ": " + f.Detail
		}
		return at(f, text)
	},
	finding.TrainingNoTensor: func(_ Style, f finding.Finding) string { return at(f, f.Tensor+" is not a tensor") },
	finding.TrainingUnknownOp: func(_ Style, f finding.Finding) string {
		return at(f, "what "+f.Op+" saves is not known: the operator is unknown")
	},
	finding.TrainingControlFlow: func(_ Style, f finding.Finding) string {
		return at(f, "training through "+f.Op+" is not simulated: what it saves grows with each iteration")
	},
	finding.TrainingTooLarge: func(_ Style, f finding.Finding) string { return at(f, "tensors are too large to count") },
	finding.TrainingTooDeep:  func(_ Style, f finding.Finding) string { return at(f, "functions call functions too often to follow") },
	finding.TrainingMissingInput: func(_ Style, f finding.Finding) string {
		if f.Tensor == "" {
			return at(f, f.Op+" lacks an input that it needs")
		}
		return at(f, fmt.Sprintf("no node computes %s, which %s reads", f.Tensor, f.Op))
	},
	finding.TrainingInvalid: func(_ Style, f finding.Finding) string { return at(f, f.Detail) },
}

// at puts the node before a text about it.
func at(f finding.Finding, text string) string {
	if f.Node == "" {
		return text
	}
	return f.Node + ": " + text
}

// A changeText says one kind of advice: what to change, and what that costs.
type changeText struct {
	change sentence
	cost   sentence
}

// changes is advice whose words depend on nothing.
func changeOf(change, cost string) changeText { return changeText{plain(change), plain(cost)} }

var advice = map[finding.Code]changeText{
	finding.AdviceCheckpointSqrt:   changeOf("recompute activations in the backward pass", "about a third more compute"),
	finding.AdviceCheckpointBlocks: changeOf("recompute the activations of each block", "about a third more compute"),
	finding.AdviceFusedOptimizer:   changeOf("use the fused optimizer", "the optimizer must have a fused implementation"),
	finding.AdviceSingleUpdates:    changeOf("update parameters one by one", "a slower optimizer step"),
	finding.AdviceInPlace:          changeOf("run activations in place", "only where no other operator needs their input"),
	finding.AdviceAutocast:         changeOf("run matrix products in bfloat16 (autocast)", "products in 16 bits; weights and optimizer states stay in 32"),
	finding.AdviceBFloat16:         changeOf("train in bfloat16 throughout", "8 bits of mantissa lose small updates"),
	finding.AdviceEightBitStates:   changeOf("keep optimizer states in 8 bits", "states are rounded in blocks of 256"),
	finding.AdviceFactoredStates:   changeOf("use factored second moments (Adafactor)", "another optimizer; the learning rate may need tuning"),
	finding.AdviceStateless:        changeOf("use an optimizer without state (SGD)", "another optimizer; may need another learning rate and more steps"),
	finding.AdviceLoRA:             changeOf("train low-rank factors (LoRA)", "the layers themselves do not change"),
	finding.AdviceLastLayer:        changeOf("train the last layer only", "all other layers keep their weights"),
	finding.AdviceTogether:         changeOf("all changes that do not alter the result", "the sum of their costs"),
	finding.AdviceSmallerBatch: {
		func(_ Style, f finding.Finding) string {
			return fmt.Sprintf("%s = %s with gradients accumulated over %s passes", f.Symbol, Count(f.Size), Count(f.Count))
		},
		func(_ Style, f finding.Finding) string {
			if f.Op != "" {
				return f.Op + " sees smaller batches"
			}
			return "more passes per step"
		},
	},
}

// adviceText is what to change, with the options that do, and what it costs.
func (s Style) adviceText(f finding.Finding) (change, cost string) {
	text := advice[f.Code]
	if text.change == nil {
		return string(f.Code), ""
	}
	return fmt.Sprintf("%s (%s)", text.change(s, f), s.options(f.Options)), text.cost(s, f)
}
