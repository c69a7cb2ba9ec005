package ort

import (
	"strconv"

	"onnxmem/onnxgraph"
)

// A nameSource makes names that no value of the model has.
type nameSource struct {
	taken map[string]bool
	next  map[string]int // by beginning: the next number to try
}

func newNameSource() *nameSource {
	return &nameSource{taken: map[string]bool{}, next: map[string]int{}}
}

// takeFrom marks the names of a scope and its bodies as taken.
func (s *nameSource) takeFrom(g *onnxgraph.Scope) {
	if g == nil {
		return
	}
	for i := range g.Values {
		s.taken[g.Values[i].Name] = true
	}
	for i := range g.Nodes {
		for _, body := range g.Subgraphs(int32(i)) {
			s.takeFrom(body)
		}
	}
}

// fresh is a name that begins like the given one.
func (s *nameSource) fresh(like string) string {
	for {
		k := s.next[like]
		s.next[like]++
		name := like
		if k > 0 {
			name += "_" + strconv.Itoa(k)
		}
		if !s.taken[name] {
			s.taken[name] = true
			return name
		}
	}
}
