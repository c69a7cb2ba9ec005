package report

import (
	"fmt"

	"onnxmem/report/memory"
	"onnxmem/report/memory/weights"
)

// weightNotes says what counting weights took for granted.
func weightNotes(w *weights.Set) []string {
	var list []string
	for _, n := range w.Notes {
		if text := weightNote(n); text != "" {
			list = append(list, text)
		}
	}
	return list
}

func weightNote(n memory.Note) string {
	switch n.Code {
	case weights.NoteRoleByName:
		return fmt.Sprintf("only names tell what %d weights are (%d bytes, the largest is %s): --%s decides", n.Count, n.Bytes, n.Tensor, n.Option)
	case weights.NoteBatchNormByName:
		return fmt.Sprintf("only the names of their weights tell that %d convolutions had a BatchNormalization (%d bytes more that train): --batchnorm none or folded decides", n.Count, n.Bytes)
	case weights.NoteBatchNormByAuthor:
		return fmt.Sprintf("the program that made this model folds BatchNormalizations before it exports: %d convolutions before an activation have one in training (%d bytes more that train): --batchnorm none decides", n.Count, n.Bytes)
	case weights.NoteWeightNormByName:
		return fmt.Sprintf("only their names tell that %d weights of convolutions are computed in each forward pass, as under weight normalization (%d bytes saved, the largest is %s): --as-written decides", n.Count, n.Bytes, n.Tensor)
	case weights.NoteFixedWeights:
		return fmt.Sprintf("%d weights are fixed by what they hold, such as tables of angles and filters that blur (%d bytes, the largest is %s), and do not train: --trainable decides", n.Count, n.Bytes, n.Tensor)
	case weights.NoteTiedWeights:
		return fmt.Sprintf("%d weights are copies (%d bytes); %s is a copy of %s. The file stores both, training has one: --untie trains each", n.Count, n.Bytes, n.Tensor, n.Related)
	case weights.NoteEqualWeights:
		return fmt.Sprintf("%d weights equal others (%d bytes), as %s equals %s, and train each by itself", n.Count, n.Bytes, n.Tensor, n.Related)
	case weights.NoteUnreadWeights:
		return fmt.Sprintf("no node reads %d weights (%d bytes, the largest is %s): the file stores them, and runtimes do not load them", n.Count, n.Bytes, n.Tensor)
	}
	return ""
}
