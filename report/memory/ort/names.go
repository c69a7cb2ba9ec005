package ort

import (
	"strconv"

	"onnxmem/onnxgraph"
)

// A nameSource makes names that no value of the model has.
type nameSource map[string]int

// takeFrom marks the names of a scope and its bodies as taken.
func (s nameSource) takeFrom(g *onnxgraph.Scope) {
	if g == nil {
		return
	}
	for i := range g.Values {
		s[g.Values[i].Name]++
	}
	for i := range g.Nodes {
		for _, body := range g.Bodies(int32(i)) {
			s.takeFrom(body)
		}
	}
}

// fresh is a name that begins like the given one.
func (s nameSource) fresh(like string) string {
	name := like
	for k := 1; ; k++ {
		if s[name] == 0 {
			s[name]++
			return name
		}
		name = like + "_" + strconv.Itoa(k+s[like])
	}
}
