package report

import (
	"slices"

	"onnxmem/report/finding"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/shapeinfer/tensor"
)

// parameterNotes says why the number of parameters may not be that of the
// module which was exported.
func parameterNotes(w *weights.Set) []finding.Finding {
	var notes []finding.Finding
	if n := len(w.Folded); n > 0 {
		f := finding.New(finding.FoldedBatchNorm)
		f.Count, f.Elements = int64(n), w.FoldedBatchNorm
		notes = append(notes, f)
	}
	if n, elements := quantized(w); n > 0 {
		f := finding.New(finding.QuantizedWeights)
		f.Count, f.Elements = int64(n), elements
		notes = append(notes, f)
	}
	for _, t := range perhapsTied(w) {
		f := finding.New(finding.PossiblyTied)
		f.Tensor, f.Related = t.output.Name, t.table.Name
		f.Elements, f.Detail = t.table.Elements, tensor.Of(t.output.DType, tensor.IntShape(t.output.Dims...)).String()
		notes = append(notes, f)
	}
	return append(notes, w.Notes...)
}

// unmatchedPatterns says which patterns choose nothing.
func (a *Analysis) unmatchedPatterns(patterns []string) []finding.Finding {
	var notes []finding.Finding
	for _, p := range patterns {
		f := finding.New(finding.PatternUnmatched)
		option := finding.Freeze
		if slices.Contains(a.opts.Training.Names.Trainable, p) {
			option = finding.Trainable
		}
		f.Options = []finding.Option{{Name: option, Value: p}}
		notes = append(notes, f)
	}
	return notes
}

// quantized counts the weights that are stored as integers for operators that
// compute with those or turn them into floats. Vectors, which are zero points
// and biases, do not count.
func quantized(w *weights.Set) (tensors int, elements int64) {
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if t.Role != weights.Constant || t.DType.IsFloat() && t.DType.Bits() > 8 || len(t.Dims) < 2 || t.Elements < 2 {
			continue
		}
		if slices.ContainsFunc(t.Readers, takesQuantized) {
			tensors++
			elements += t.Elements
		}
	}
	return tensors, elements
}

func takesQuantized(id op.ID) bool {
	o := catalogue.Default().Newest(id)
	return o != nil && o.QuantizedWeights
}

// A tie is an embedding table and a weight of a matrix product that has its
// shape transposed.
type tie struct{ table, output *weights.Tensor }

// perhapsTied finds output projections that may be copies of the embedding:
// language models share the two, and exporters that fold the transposition
// store it again under a new name. Only the shapes are compared, which takes no
// reading of weights; a vocabulary that is not the width of some layer by
// chance is what the two have in common.
func perhapsTied(w *weights.Set) []tie {
	var ties []tie
	for i := range w.Tensors {
		table := &w.Tensors[i]
		if !isMatrix(table) || !slices.Contains(table.Readers, op.ID{Name: "Gather"}) || slices.Contains(table.Readers, op.ID{Name: "MatMul"}) || table.Dims[0] <= table.Dims[1] {
			continue
		}
		for j := range w.Tensors {
			output := &w.Tensors[j]
			if isMatrix(output) && output.DType == table.DType && slices.Contains(output.Readers, op.ID{Name: "MatMul"}) &&
				output.Dims[0] == table.Dims[1] && output.Dims[1] == table.Dims[0] {
				ties = append(ties, tie{table, output})
				break
			}
		}
	}
	return ties
}

func isMatrix(t *weights.Tensor) bool {
	// Where the contents say something, they were compared.
	return t.Role == weights.Trainable && len(t.Dims) == 2 && t.Dims[0] > 1 && t.Dims[1] > 1 && !t.HasContents()
}
