package accuracy

// A Comparison is all of the estimates beside the truth.
type Comparison struct {
	Inference []Figure
	Skipped   int // runs whose sizes hang on run-time values
	Saved     []Figure
	Training  []Figure
	Options   []Figure
}

// Compare makes a report on every recorded run. root is the folder of the
// records, as [corpus.FindRoot] finds it.
func Compare(root string) (*Comparison, error) {
	c := &Comparison{}
	var err error
	if c.Inference, c.Skipped, err = Inference(root); err != nil {
		return nil, err
	}
	if c.Saved, c.Training, c.Options, err = Training(root); err != nil {
		return nil, err
	}
	return c, nil
}

// A Subject is one kind of number with its figures and the words for it.
type Subject struct {
	Title   string // a row's name
	Truth   string // what it was compared with
	Heading string
	About   string
	Detail  bool // too special for a table of its own in a summary
	Figures []Figure
}

// Subjects are the kinds of numbers that are compared.
func (c *Comparison) Subjects() []Subject {
	return []Subject{
		{
			Title: "peak of one run", Truth: "ONNX Runtime 1.32, CPU", Heading: "The peak of one run", Figures: c.Inference,
			About: "`inference.runtime.activation_bytes` of the profile `ort-cpu`, and the most bytes that ONNX Runtime requested for node outputs.",
		},
		{
			Title: "kept for the backward pass", Truth: "PyTorch 2.15", Heading: "Kept for the backward pass", Figures: c.Saved,
			About: "`training.saved_bytes`, and what autograd holds at the end of the forward pass without parameters, buffers, inputs and dropout masks.",
		},
		{
			Title: "peak of a training step", Truth: "PyTorch 2.15", Heading: "The peak of a training step", Figures: c.Training,
			About: "`training.first_step_peak_bytes` for step 1 and `training.peak_bytes` for step 3, with the loop of the records and every optimizer measured.\n" +
				"Dropout masks are in the truth and not in the estimate, since an inference export does not show where dropout was.",
		},
		{
			Title: "the same with other options", Truth: "PyTorch 2.15", Heading: "The peak of a training step with other options", Detail: true, Figures: c.Options,
			About: "With `--loss cross_entropy`, `--attention eager` or `fused`, `--precision amp-bf16`, `--checkpoint every-2`, or `--freeze`.",
		},
	}
}
