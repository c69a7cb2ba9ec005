package ort

import (
	"fmt"

	"onnxmem/onnxgraph"
)

// lossBodies are the losses, for which the CPU provider has no kernel.
func lossBodies() []functionBody {
	return []functionBody{
		{name: "SoftmaxCrossEntropyLoss", since: 12, inputs: "scores labels weights", outputs: "output log_prob", text: crossEntropy},
		{name: "NegativeLogLikelihoodLoss", since: 12, inputs: "input target weight", outputs: "loss", text: likelihoodLoss},
	}
}

func crossEntropy(c *bodyCall) string {
	attributes := fmt.Sprintf(`reduction="%s"`, c.text("reduction", "mean"))
	if c.has("ignore_index") {
		attributes += fmt.Sprintf(", ignore_index=%d", c.integer("ignore_index", 0))
	}
	return lines(`
			Shape3D = ints (0, 0, -1)
			X_NCD = Reshape (scores, Shape3D)
			X_NDC = Transpose <perm=[0, 2, 1]> (X_NCD)
			X_LogSM = LogSoftmax <axis=2> (X_NDC)
			X_LogSM_NCD = Transpose <perm=[0, 2, 1]> (X_LogSM)
			X_shape = Shape (scores)
			X_Log = Reshape (X_LogSM_NCD, X_shape)`,
		when(c.hasOutput(1), "log_prob = Identity (X_Log)"),
		fmt.Sprintf("output = NegativeLogLikelihoodLoss <%s> (X_Log, labels%s)", attributes, when(c.hasInput(2), ", weights")))
}

func likelihoodLoss(c *bodyCall) string {
	unsqueeze, squeeze := "Unsqueeze (%s, axes)", "Squeeze (%s, axes)"
	if c.opset < 13 { // the axes became an input
		unsqueeze, squeeze = "Unsqueeze <axes=[1]> (%s)", "Squeeze <axes=[1]> (%s)"
	}
	start := `
			const_zero = ints (0)
			const_one = ints (1)
			axes = ints (1)
			expanded_target = ` + fmt.Sprintf(unsqueeze, "target")
	if c.has("ignore_index") {
		return lines(start, ignoringLoss(c, squeeze), "loss_unweighted = "+fmt.Sprintf(squeeze, "loss_N1dd"), reducedLoss(c))
	}
	start += `
			input_gather_element = GatherElements <axis=1> (input, expanded_target)
			loss_NCdd = Neg (input_gather_element)
			loss_N1dd = Slice (loss_NCdd, const_zero, const_one, const_one)`
	squeezed := fmt.Sprintf(squeeze, "loss_N1dd")
	switch reduction := c.text("reduction", "mean"); {
	case c.hasInput(2):
		return lines(start, "weight_gather = Gather (weight, target)", "loss_unweighted = "+squeezed, reducedLoss(c))
	case reduction == "none":
		return lines(start, "loss = "+squeezed)
	case reduction == "mean":
		return lines(start, "loss_Ndd = "+squeezed, "loss = ReduceMean <keepdims=0> (loss_Ndd)")
	}
	return lines(start, "loss_Ndd = "+squeezed, "loss = ReduceSum <keepdims=0> (loss_Ndd)")
}

// ignoringLoss computes loss_N1dd and weight_gather, which are zero where the
// target is the class to ignore.
func ignoringLoss(c *bodyCall, squeeze string) string {
	zero, one, casts := "const_zero_float", "const_one_float", false
	if c.dtype(0) != onnxgraph.Float {
		zero, one, casts = "const_zero_casted", "const_one_casted", true
	}
	cast := func(name string) string {
		return when(casts, fmt.Sprintf("const_%s_casted = Cast <to=%d> (const_%s_float)", name, c.dtype(0), name))
	}
	weights := lines(
		"squeeze_mask = "+fmt.Sprintf(squeeze, "mask"),
		"const_one_float = floats (1)", cast("one"),
		fmt.Sprintf("weight_gather = Where (squeeze_mask, %s, %s)", zero, one))
	if c.hasInput(2) {
		weights = lines(
			"weight_gather_temp = Gather (weight, transform_targets)",
			fmt.Sprintf("weight_gather_temp_1 = Where (mask, %s, weight_gather_temp)", zero),
			"weight_gather = "+fmt.Sprintf(squeeze, "weight_gather_temp_1"))
	}
	return lines(fmt.Sprintf("const_ignore_index = ints (%d)", c.integer("ignore_index", 0)), `
			const_zero_target_typed = Sub (expanded_target, expanded_target)
			expanded_target_int64 = Cast <to=7> (expanded_target)
			mask = Equal (expanded_target_int64, const_ignore_index)
			transform_targets = Where (mask, const_zero_target_typed, expanded_target)
			input_gather_element = GatherElements <axis=1> (input, transform_targets)
			const_zero_float = floats (0)`,
		cast("zero"),
		fmt.Sprintf("input_gather_element_transform = Where (mask, %s, input_gather_element)", zero), `
			loss_NCdd = Neg (input_gather_element_transform)
			loss_N1dd = Slice (loss_NCdd, const_zero, const_one, const_one)`,
		weights)
}

// reducedLoss weighs the losses and reduces them.
func reducedLoss(c *bodyCall) string {
	switch c.text("reduction", "mean") {
	case "none":
		return "loss = Mul (loss_unweighted, weight_gather)"
	case "mean":
		return `
			loss_Ndd = Mul (loss_unweighted, weight_gather)
			loss_sum = ReduceSum <keepdims=0> (loss_Ndd)
			weight_gather_sum = ReduceSum <keepdims=0> (weight_gather)
			loss = Div (loss_sum, weight_gather_sum)`
	}
	return `
			loss_Ndd = Mul (loss_unweighted, weight_gather)
			loss = ReduceSum <keepdims=0> (loss_Ndd)`
}
