package oprules

import (
	"fmt"
	"strings"

	"onnxmem/onnxgraph"
)

// This file writes rules for somebody to fill in.

// Skeleton is a file of rules for operators that are not known, one for each
// name, as they are used in the nodes. What only its author knows is marked
// with TODO: a count of dims is guessed from nothing.
func Skeleton(nodes []*onnxgraph.Node) string {
	var b strings.Builder
	b.WriteString("# Rules for operators that are not known. Fill in the places marked TODO.\n" +
		"# A dim is an expression over x[0], x[-1], x.elements, x.value[0], attr.NAME, attr.NAME[0]; x[1:] stands for several dims,\n" +
		"# ? for a size that only a run knows.\n")
	b.WriteString("operators:\n")
	seen := map[string]bool{}
	for _, n := range nodes {
		domain := n.Domain
		if domain == "" {
			domain = "ai.onnx"
		}
		name := domain + "::" + n.OpType
		if seen[name] {
			continue
		}
		seen[name] = true
		fmt.Fprintf(&b, "  - name: %s\n", quoted(name))
		var inputs []string
		for i := range n.Inputs {
			inputs = append(inputs, fmt.Sprintf("in%d", i))
		}
		fmt.Fprintf(&b, "    inputs: [%s]\n", strings.Join(inputs, ", "))
		for _, a := range n.Attributes {
			fmt.Fprintf(&b, "    # attribute %s\n", quoted(a.Name))
		}
		b.WriteString("    outputs:\n")
		for range max(len(n.Outputs), 1) {
			like := "in0"
			if len(inputs) == 0 {
				b.WriteString("      - dtype: FLOAT  # TODO\n        dims: [\"1\"]  # TODO\n")
				continue
			}
			fmt.Fprintf(&b, "      - dtype: %s  # TODO: an element type, or an input that has it\n        dims: [\"%s[:]\"]  # TODO\n", like, like)
		}
		b.WriteString("    # macs: in0.elements  # TODO: multiply-accumulates of one run, if any\n")
	}
	return b.String()
}

// quoted is a name from a file as a YAML string that holds nothing but printable
// ASCII.
func quoted(s string) string { return fmt.Sprintf("%+q", s) }
