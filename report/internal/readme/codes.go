package main

import (
	"fmt"
	"strings"

	"onnxmem/report/finding"
)

// codesPage lists what every code means.
func codesPage() string {
	var b strings.Builder
	b.WriteString("<!-- Made by go run ./report/internal/readme; a test fails when it is stale. -->\n# Codes\n\n" +
		"Every diagnostic, assumption, note and piece of advice has a code, which JSON has beside its arguments. `onnxmem explain CODE` prints one of\n" +
		"these. Codes are append-only: a code that was published keeps its meaning.\n")
	for _, kind := range finding.Kinds() {
		fmt.Fprintf(&b, "\n## %s\n", kind)
		for _, e := range finding.Entries() {
			if e.Kind != kind {
				continue
			}
			fmt.Fprintf(&b, "\n### %s\n\n%s (%s). %s\n", e.Code, e.Title, e.Severity, e.Meaning)
			if e.Example != "" {
				fmt.Fprintf(&b, "\nExample: %s\n", e.Example)
			}
			if e.Remedy != "" {
				fmt.Fprintf(&b, "\nWhat to do: %s\n", e.Remedy)
			}
		}
	}
	return b.String()
}
