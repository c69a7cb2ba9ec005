package shapeinfer

import (
	"fmt"
	"strings"

	"onnxmem/onnxgraph"
)

// This file finds weights that no node reads.

// namedWeights is how many weights one diagnostic names.
const namedWeights = 8

// noteUnused names the initializers of a scope, and of the bodies in it, that
// no node reads and that are no output. They are stored in the file, and
// runtimes do not load them.
func (e *engine) noteUnused(s *onnxgraph.Scope) {
	read := make([]bool, len(s.Values))
	for i := range s.Nodes {
		for _, id := range s.NodeInputs(int32(i)) {
			if id != onnxgraph.NoValue {
				read[id] = true
			}
		}
		for _, body := range s.Subgraphs(int32(i)) {
			for k := range body.Values {
				if v := &body.Values[k]; v.Origin == onnxgraph.OuterScope && v.Outer != onnxgraph.NoValue {
					read[v.Outer] = true
				}
			}
			e.noteUnused(body)
		}
	}
	var names []string
	count, bytes := 0, int64(0)
	for id := range s.Values {
		v := &s.Values[id]
		if v.Origin != onnxgraph.Initializer || read[id] || v.IsOutput {
			continue
		}
		if count++; len(names) < namedWeights {
			names = append(names, fmt.Sprintf("%q", v.Name))
		}
		if v.Tensor != nil {
			if n, ok := v.Tensor.Bytes(); ok && bytes <= 1<<62-n {
				bytes += n
			}
		}
	}
	if count == 0 {
		return
	}
	if count > len(names) {
		names = append(names, fmt.Sprintf("%d more", count-len(names)))
	}
	e.diagnose(Note, "unused-weights", s.Path, "", "initializers that no node reads (%d, %d bytes in all), which runtimes do not load: %s", count, bytes, strings.Join(names, ", "))
}
