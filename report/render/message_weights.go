package render

import (
	"fmt"

	"onnxmem/report/finding"
)

var weightSentences = map[finding.Code]sentence{
	finding.FoldedBatchNorm: func(_ Style, f finding.Finding) string {
		were, their := "were", "their"
		if f.Count == 1 {
			were, their = "was", "its"
		}
		return fmt.Sprintf("%s %s folded into convolutions by the exporter. Training restores them: %s %s count as trainable. A bias of such a convolution is part of the shift and is not counted.",
			countOf(f.Count, "BatchNormalization"), were, their, countOf(f.Elements, "scale"))
	},
	finding.QuantizedWeights: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("Quantized weights do not train (%s, %s). Report on the float model to train them, or train factors beside them with %s.",
			countOf(f.Count, "tensor"), countOf(f.Elements, "element"), s.option(finding.LoRARank, "R"))
	},
	finding.PossiblyTied: func(_ Style, f finding.Finding) string {
		return fmt.Sprintf("%s %s has the shape of the embedding table %s transposed. If the module ties the two, training has %s fewer elements.", f.Tensor, f.Detail, f.Related, Count(f.Elements))
	},
	finding.DuplicateWeights: func(s Style, f finding.Finding) string {
		text := fmt.Sprintf("%s and %s have equal contents (%s)", f.Tensor, f.Related, s.size(f.TensorBytes))
		if n := f.Count - 1; n > 0 {
			text += fmt.Sprintf(", and so do %s of weights", countOf(n, "more group"))
		}
		return text + fmt.Sprintf(". Storing each once would save %s.", s.size(f.Bytes))
	},
	finding.RoleByName: func(s Style, f finding.Finding) string {
		name := finding.Trainable
		if len(f.Options) > 0 {
			name = f.Options[0].Name
		}
		return fmt.Sprintf("Only names tell whether some weights train (%s). Decide with %s.", s.manyOf(f), s.option(name, "GLOB"))
	},
	finding.BatchNormByName: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("Only names of weights tell that BatchNormalization was folded into %s (+%s of parameters). Decide with %s or folded.", countOf(f.Count, "convolution"), s.size(f.Bytes), s.option(finding.BatchNorm, "none"))
	},
	finding.BatchNormByAuthor: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("This exporter folds BatchNormalization: training restores it in %s before an activation (+%s of parameters). Turn it off with %s.", countOf(f.Count, "convolution"), s.size(f.Bytes), s.option(finding.BatchNorm, "none"))
	},
	finding.WeightNormByName: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("Only names tell that convolutions use weight normalization (%s). Train their weights as they are with %s.", s.manyOf(f), s.option(finding.NoFusion, "true"))
	},
	finding.FixedWeights: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("Weights that hold fixed values, such as rotary tables or blur filters, do not train (%s). Train them with %s.", s.manyOf(f), s.option(finding.Trainable, "GLOB"))
	},
	finding.TiedWeights: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("Copies of a weight count once in training (%s, %s): %s is a copy of %s. Train each with %s.", Count(f.Count), s.size(f.Bytes), f.Tensor, f.Related, s.option(finding.Untie, "true"))
	},
	finding.EqualWeights: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("Equal weights train separately, since the model looks untrained (%s, %s): %s equals %s.", Count(f.Count), s.size(f.Bytes), f.Tensor, f.Related)
	},
	finding.UnreadWeights: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("No node reads some weights (%s). The file stores them; runtimes do not load them.", s.manyOf(f))
	},
	finding.PatternUnmatched: func(s Style, f finding.Finding) string {
		return s.options(f.Options) + " matches no parameter."
	},
}

var peakSentences = map[finding.Code]sentence{
	finding.PeakInSubgraph: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("The peak falls inside %s, whose activations take %s of %s. What follows is about these.", f.Node, s.size(f.Peak.After), s.size(f.Peak.Before))
	},
	finding.PeakTransposedWeight: func(s Style, f finding.Finding) string {
		return s.recomputed(f, fmt.Sprintf("the weight %s transposed", f.Related), "Storing it transposed, or reading it with Gemm and transB,")
	},
	finding.PeakCastWeight: func(s Style, f finding.Finding) string {
		return s.recomputed(f, fmt.Sprintf("the weight %s cast to %s", f.Related, f.Detail), fmt.Sprintf("Storing it as %s", f.Detail))
	},
	finding.PeakDequantizedWeight: func(s Style, f finding.Finding) string {
		return s.recomputed(f, fmt.Sprintf("the weight %s dequantized", f.Related), "An operator that takes quantized weights")
	},
	finding.PeakConstant: func(s Style, f finding.Finding) string {
		return s.recomputed(f, "computed from weights alone", "Storing it (constant folding)")
	},
	finding.PeakAttentionScores: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("Attention scores take %s (%s is %s). They grow with the square of the sequence length; a fused attention operator does not store them.", s.size(f.Bytes), f.Tensor, f.Detail)
	},
	finding.PeakConcat: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("%s copies %s into one of %s: inputs and output are live together. A runtime that writes the inputs directly into the output saves %s.",
			f.Node, countOf(f.Count, "tensor"), s.size(f.TensorBytes), s.size(f.Bytes))
	},
	finding.PeakSkipConnection: func(s Style, f finding.Finding) string {
		held := fmt.Sprintf("held %s for %s", countOf(f.Count, "node"), f.Node)
		if f.Elements > 1 {
			return fmt.Sprintf("%s (%s) are held by skip connections; the largest, %s (%s), is %s.", countOf(f.Elements, "tensor"), s.size(f.Bytes), f.Tensor, s.size(f.TensorBytes), held)
		}
		return fmt.Sprintf("%s (%s) is %s: a skip connection.", f.Tensor, s.size(f.TensorBytes), held)
	},
	finding.PeakOutput: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("%s (%s) is an output of the model: it is held to the end of the run.", f.Tensor, s.size(f.Bytes))
	},
	finding.PeakReuseInputs: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("Elementwise nodes that write over inputs that no other node needs would lower the peak of activations from %s to %s (%s).",
			s.size(f.Peak.Before), s.size(f.Peak.After), s.options(f.Options))
	},
}

// manyOf says how many tensors a finding is about, their bytes and the largest.
func (s Style) manyOf(f finding.Finding) string {
	if f.Count == 1 {
		return fmt.Sprintf("%s, %s", f.Tensor, s.size(f.Bytes))
	}
	return fmt.Sprintf("%s, %s; the largest is %s", Count(f.Count), s.size(f.Bytes), f.Tensor)
}

// recomputed says that every run computes a constant, and what storing it gives.
func (s Style) recomputed(f finding.Finding, what, instead string) string {
	others := ""
	if f.Count > 1 {
		others = fmt.Sprintf(" %s more like it, %s together.", Count(f.Count-1), s.size(f.Bytes))
	}
	return fmt.Sprintf("%s (%s) is %s by %s in every run.%s %s would lower the peak of activations from %s to %s.",
		f.Tensor, s.size(f.TensorBytes), what, f.Node, others, instead, s.size(f.Peak.Before), s.size(f.Peak.After))
}
