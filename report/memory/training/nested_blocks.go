package training

import (
	"slices"

	"onnxmem/report/memory/internal/ref"
	"onnxmem/report/memory/internal/tape"
)

// nestedBlocks finds where the blocks of a tape start, and the end of the last
// one. In a network with skip connections from its first half to its second, as
// a U-Net, no operator between is crossed by one activation only. A block that
// holds most of what is saved is therefore cut where its longest skip connection
// starts and ends, and what lies between in the same way: the skip connection is
// saved, as everything that a segment reads from outside.
func nestedBlocks(t *tape.Tape) []int {
	n := &nester{t: t, until: lastReads(t)}
	total := n.saved(0, len(t.Ops)-1)
	n.least = total / 8 // of some eight blocks at the least each is no more than its share
	starts, branched := blocks(t)
	if !branched {
		if cuts := n.cut(0, len(t.Ops)-1, maxNest); len(cuts) > 0 {
			return append(append([]int{-1}, cuts...), len(t.Ops)-1)
		}
	}
	if len(starts) < 2 {
		return nil
	}
	nested := starts[:1:1]
	for k := 1; k < len(starts); k++ {
		if first := starts[k-1] + 1; n.saved(first, starts[k]) > total/2 {
			nested = append(nested, n.cut(first, starts[k], maxNest)...)
		}
		nested = append(nested, starts[k])
	}
	return nested
}

// maxNest bounds how deep blocks are followed into each other. U-Nets have up to
// eight levels, with some blocks on each.
const maxNest = 64

// A nester takes blocks apart.
type nester struct {
	t     *tape.Tape
	until ref.Table[tape.Storage, int32]
	least int64 // bytes saved up to which a block stays whole
}

// cut lists the operators after which a block from first to last is cut.
func (n *nester) cut(first, last, depth int) []int {
	if depth == 0 || n.saved(first, last) <= n.least {
		return nil
	}
	from, to := n.longest(first, last)
	if to-from <= leastBlock {
		return nil
	}
	cuts := append(n.cut(first, from, depth-1), from)
	cuts = append(append(cuts, n.cut(from+1, to-1, depth-1)...), to-1)
	return append(cuts, n.cut(to, last, depth-1)...)
}

// longest is where the activation that passes by the most operators of a run is
// made, and where it is read for the last time.
func (n *nester) longest(first, last int) (from, to int) {
	from, to = first, first
	for i := first; i <= last; i++ {
		for _, v := range n.t.Ops[i].Out {
			x := n.t.Vars.At(v)
			if s := x.Storage; !s.None() && x.NeedsGrad && n.t.Storages.At(s).Kind == tape.Allocated && slices.Contains(n.t.Ops[i].Allocated, s) {
				if end := int(n.until.Get(s)); end <= last && end-i > to-from {
					from, to = i, end
				}
			}
		}
	}
	return from, to
}

// saved is what the operators from first to last save together, in bytes.
func (n *nester) saved(first, last int) int64 {
	seen := map[tape.StorageID]bool{}
	total := int64(0)
	for i := first; i <= last; i++ {
		for _, id := range n.t.Ops[i].Saved {
			if !seen[id] {
				seen[id] = true
				total += n.t.Storages.At(id).Bytes
			}
		}
	}
	return total
}
