package finding

var assumptionEntries = []Entry{
	{AssumedDimension, Assumption, Note, "A dynamic dimension was assumed",
		"The file gives a dimension a name instead of a number, and the caller did not set it, so numbers count it as 1.",
		"The input is [batch,3,224,224], and nothing sets batch.", "Set it: --dim batch=8."},
	{AssumedSmallest, Assumption, Warning, "Numbers are those of the smallest input",
		"A dynamic dimension other than the batch was assumed to be 1: a height, a width, a sequence length. The numbers are far below those of real inputs.",
		"The input is [1,3,height,width], and nothing sets height.", "Set it to the size that you use: --dim height=640."},
	{FormulaDomain, Assumption, Note, "Formulas assume dimensions of at least 1",
		"Formulas hold for dynamic dimensions of at least 1, not for empty tensors.",
		"12*batch.", ""},
	{AssumedSize, Assumption, Warning, "The model is invalid at the assumed sizes",
		"Inference fails at the sizes that were assumed for dynamic dimensions and not without them: the model is fine, but the numbers mean little.",
		"A window of 5 over a width that was assumed to be 1.", "Set the dynamic dimensions."},
}
