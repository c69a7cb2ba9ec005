package report

import (
	"fmt"
	"slices"

	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
)

// parameterNotes says why the number of parameters may not be that of the
// module which was exported.
func parameterNotes(w *weights.Set) []string {
	var notes []string
	if n := len(w.Folded); n > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d BatchNormalizations were folded into convolutions by the exporter; training has them back, with what they keep: their %d scales count as trainable. "+
				"A bias that such a convolution had of its own went into the shift and cannot be told from it",
			n, w.Restored))
	}
	if n, elements := quantized(w); n > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d tensors with %d elements are stored quantised. They count as constants: nothing of them trains, only factors beside them with --lora-rank; report on the float model to train all",
			n, elements))
	}
	for _, t := range perhapsTied(w) {
		notes = append(notes, fmt.Sprintf(
			"%s %v has the shape of the embedding table %s %v transposed: if the module ties them, the file stores one weight twice and training has %d elements less",
			t.output.Name, t.output.Dims, t.table.Name, t.table.Dims, t.table.Elements))
	}
	return append(notes, weightNotes(w)...)
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
