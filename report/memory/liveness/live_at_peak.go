package liveness

import (
	"sort"

	"onnxmem/report/memory"
)

// A Live is a storage that is alive at a moment, and why.
type Live struct {
	Name     string
	Size     memory.Size
	Producer string // label of the step that makes it, "" for inputs
	NeededBy string // label of the last step that reads it, or "output"
}

// LiveAt lists the storages made by nodes that are alive while the step at a
// position of the program's own order runs, largest first. Of a step with
// bodies those of the worst body at its own peak follow.
func (p *Program) LiveAt(at int32) []Live {
	if at < 0 || int(at) >= len(p.Steps) {
		return nil
	}
	lives := p.Lifetimes(nil)
	var list []Live
	for id := range p.Storages {
		s, l := &p.Storages[id], lives[id]
		if s.Kind != Activation || at < l.First || at > l.Last || s.Step < 0 {
			continue
		}
		needed := p.Steps[l.Last].Label()
		if s.Output {
			needed = "output"
		}
		list = append(list, Live{s.Name, s.Size, p.Steps[s.Step].Label(), needed})
	}
	if body := p.worstBody(at); body != nil {
		list = append(list, body.Program.LiveAt(body.Program.Peak().Step)...)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Size.Low > list[j].Size.Low })
	return list
}

// worstBody is the body of a step that takes most; nil where there is none.
func (p *Program) worstBody(at int32) *Body {
	var worst *Body
	most := int64(-1)
	for _, b := range p.Steps[at].Bodies {
		if size := b.Program.Peak().Size.Low; size > most {
			worst, most = b, size
		}
	}
	return worst
}

// PeakBody is the body of the step at a position that takes most; nil where
// the step has none.
func (p *Program) PeakBody(at int32) *Body {
	if at < 0 || int(at) >= len(p.Steps) {
		return nil
	}
	return p.worstBody(at)
}

// PeakLabel names the step at a position, with the place inside its worst body
// where it has bodies: the node at which a peak falls.
func (p *Program) PeakLabel(at int32) (label, op string) {
	if at < 0 || int(at) >= len(p.Steps) {
		return "", ""
	}
	s := &p.Steps[at]
	label, op = s.Label(), s.NodeOf().OpType
	body := p.worstBody(at)
	if body == nil || len(body.Program.Steps) == 0 {
		return label, op
	}
	inner, innerOp := body.Program.PeakLabel(body.Program.Peak().Step)
	return label + "/" + body.Attr + "/" + inner, innerOp
}
