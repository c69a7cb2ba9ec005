package weights

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
)

// The codes of the notes of a [Set].
const (
	// NoteRoleByName: only the names of Count tensors of Bytes tell whether they
	// train.
	NoteRoleByName memory.NoteCode = "role-by-name"
	// NoteBatchNormByName: only names tell that Count convolutions had a
	// BatchNormalization, whose vectors take Bytes that the file does not store.
	NoteBatchNormByName memory.NoteCode = "batchnorm-by-name"
	// NoteBatchNormByAuthor: the program that the model is from folds
	// BatchNormalizations before it exports; otherwise as above.
	NoteBatchNormByAuthor memory.NoteCode = "batchnorm-by-author"
	// NoteWeightNormByName: only names tell that Count weights of Bytes are made
	// in each forward pass.
	NoteWeightNormByName memory.NoteCode = "weight-norm-by-name"
	// NoteFixedWeights: Count tensors of Bytes do not train by what they hold:
	// tables of angles, kernels that blur.
	NoteFixedWeights memory.NoteCode = "fixed-weights"
	// NoteTiedWeights: Count tensors of Bytes are copies; Tensor is one of Related.
	NoteTiedWeights memory.NoteCode = "tied-weights"
	// NoteEqualWeights: as above, but they train each by itself.
	NoteEqualWeights memory.NoteCode = "equal-weights"
	// NoteUnreadWeights: no node reads Count tensors of Bytes.
	NoteUnreadWeights memory.NoteCode = "unread-weights"
)

// note says what was taken for granted.
func (w *Set) note() {
	named := noteOf{Note: memory.Note{Code: NoteRoleByName, Option: "trainable"}}
	fixed := noteOf{Note: memory.Note{Code: NoteFixedWeights, Option: "trainable"}}
	unread := noteOf{Note: memory.Note{Code: NoteUnreadWeights}}
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if t.byName {
			if t.Role == Trainable {
				named.Option = "freeze"
			}
			named.add(t.Name, t.Bytes)
		}
		if t.fixed {
			fixed.add(t.Name, t.Bytes)
		}
		if t.Unread {
			unread.add(t.Name, t.Bytes)
		}
	}
	byName := noteOf{Note: memory.Note{Code: NoteBatchNormByName, Option: "batchnorm"}}
	byAuthor := noteOf{Note: memory.Note{Code: NoteBatchNormByAuthor, Option: "batchnorm"}}
	for i := range w.Folded {
		f := &w.Folded[i]
		bytes, _ := onnxgraph.ByteSize(f.Bias.DType, memory.MulBytes(f.Channels, f.vectors()))
		if f.byName {
			byName.add(f.Bias.Name, bytes)
		}
		if f.byAuthor {
			byAuthor.add(f.Bias.Name, bytes)
		}
	}
	normed := noteOf{Note: memory.Note{Code: NoteWeightNormByName, Option: "as-written"}}
	for _, n := range w.Normed {
		bytes, _ := n.Weight.Bytes()
		normed.add(n.Weight.Name, bytes)
	}
	for _, n := range []*noteOf{&named, &byName, &byAuthor, &normed, &fixed, &unread} {
		if n.Count > 0 {
			w.Notes = append(w.Notes, n.Note)
		}
	}
}

// A noteOf is a note that several things add to.
type noteOf struct {
	memory.Note
	most int64
}

// add counts one more thing, and keeps the name of the largest.
func (n *noteOf) add(name string, bytes int64) {
	if n.Count++; n.Count == 1 || bytes > n.most {
		n.Tensor, n.most = name, bytes
	}
	n.Bytes = memory.AddBytes(n.Bytes, bytes)
}
