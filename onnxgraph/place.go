package onnxgraph

import (
	"slices"
	"strconv"
	"strings"
)

// A Place says where in a model something lies, as the fields of onnx.proto that
// lead to it. The zero Place is the message where a walk begins.
type Place struct {
	outer *Place // the enclosing message; nil for the one where the walk begins
	field string
	index int // in a repeated field; single in another
}

// single is the index of a field that does not repeat.
const single = -1

// String is the path as the errors of the reader print it, such as
// "graph.node[3].attribute[0].t".
func (p Place) String() string {
	var steps []string
	for at := &p; at != nil && at.field != ""; at = at.outer {
		step := at.field
		if at.index != single {
			step += "[" + strconv.Itoa(at.index) + "]"
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return strings.Join(steps, ".")
}
