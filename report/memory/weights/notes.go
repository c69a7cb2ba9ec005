package weights

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
	"onnxmem/report/memory"
)

// note says what was assumed.
func (w *Set) note() {
	named := newNote(finding.RoleByName, finding.Trainable)
	fixed := newNote(finding.FixedWeights, finding.Trainable)
	unread := newNote(finding.UnreadWeights)
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if t.byName {
			if t.Role == Trainable {
				named.Options[0].Name = finding.Freeze
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
	byName := newNote(finding.BatchNormByName, finding.BatchNorm)
	byAuthor := newNote(finding.BatchNormByAuthor, finding.BatchNorm)
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
	normed := newNote(finding.WeightNormByName, finding.NoFusion)
	for _, n := range w.Normed {
		bytes, _ := n.Weight.Bytes()
		normed.add(n.Weight.Name, bytes)
	}
	for _, n := range []*noteOf{&named, &byName, &byAuthor, &normed, &fixed, &unread} {
		if n.Count > 0 {
			w.Notes = append(w.Notes, n.Finding)
		}
	}
}

// A noteOf is a note that several things add to.
type noteOf struct {
	finding.Finding
	most int64
}

// newNote is a note without anything yet, with the option that decides
// otherwise.
func newNote(c finding.Code, options ...finding.OptionName) noteOf {
	n := noteOf{Finding: finding.New(c)}
	for _, name := range options {
		n.Options = append(n.Options, finding.Option{Name: name})
	}
	return n
}

// add counts one more thing, and keeps the name of the largest.
func (n *noteOf) add(name string, bytes int64) {
	if n.Count++; n.Count == 1 || bytes > n.most {
		n.Tensor, n.most = name, bytes
	}
	n.Bytes = memory.AddBytes(n.Bytes, bytes)
}
