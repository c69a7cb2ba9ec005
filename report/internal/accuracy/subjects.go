package accuracy

// A Subject is one kind of number with its figures and the words for it.
type Subject struct {
	Title   string // a row's name
	Truth   string // what it was compared with
	Heading string
	About   string
	Detail  bool // too special for a table of its own in a summary
	Page    bool // too special for a row in a summary
	Figures []Figure
}

// Subjects are the kinds of numbers that are compared.
func (c *Comparison) Subjects() []Subject {
	const torch = "PyTorch 2.15"
	return []Subject{
		{
			Title: "inference peak", Truth: "ONNX Runtime 1.32, CPU", Heading: "Inference peak", Figures: c.Inference,
			About: "`inference.runtime.activation_bytes` of the profile `ort-cpu`, and the most bytes that ONNX Runtime requested for activations.",
		},
		{
			Title: "saved for backward", Truth: torch, Heading: "Saved for backward", Figures: c.Default.Saved,
			About: "`training.saved_bytes`, and what autograd holds at the end of the forward pass without parameters, buffers, inputs and dropout masks.",
		},
		{
			Title: "training peak", Truth: torch, Heading: "Training peak", Figures: c.Default.Peak,
			About: "`training.first_step_peak_bytes` for step 1 and `training.peak_bytes` for step 3, with the loop of the records and every optimizer measured.\n" +
				"Dropout masks are in the truth and not in the estimate, since an inference export does not show where dropout was.",
		},
		{
			Title: "training peak, other options", Truth: torch, Heading: "Training peak, other options", Detail: true, Figures: c.Options.Peak,
			About: "With `--loss cross_entropy`, `--attention eager` or `fused`, `--precision amp-bf16`, `--checkpoint every-2`, or `--freeze`.",
		},
		{
			Title: "saved, other options", Truth: torch, Heading: "Saved for backward, other options", Page: true, Detail: true, Figures: c.Options.Saved,
			About: "The same options; with checkpoints and frozen layers dropout masks are in both numbers.",
		},
		{
			Title: "saved, with dropout", Truth: torch, Heading: "Saved for backward, with dropout masks", Page: true, Detail: true, Figures: c.Dropout.Saved,
			About: "With `--dropout 0.1`, for the modules that have dropout.",
		},
		{
			Title: "training peak, with dropout", Truth: torch, Heading: "Training peak, with dropout masks", Page: true, Detail: true, Figures: c.Dropout.Peak,
			About: "With `--dropout 0.1`, for the modules that have dropout.",
		},
		{
			Title: "saved, rewritten exports", Truth: torch, Heading: "Saved for backward, rewritten exports", Page: true, Detail: true, Figures: c.Rewritten.Saved,
			About: "Exports that ONNX Runtime's optimizer or a conversion to 16 bits rewrote train as the module does.",
		},
		{
			Title: "training peak, rewritten exports", Truth: torch, Heading: "Training peak, rewritten exports", Page: true, Detail: true, Figures: c.Rewritten.Peak,
			About: "Exports that ONNX Runtime's optimizer or a conversion to 16 bits rewrote train as the module does.",
		},
	}
}
