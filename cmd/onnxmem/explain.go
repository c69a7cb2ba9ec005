package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"onnxmem/report/finding"
)

// This file is the command explain.

// explainSchema names the version of the JSON of explain.
const explainSchema = "onnxmem/explain/v1"

func newExplainCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "explain [CODE]",
		Short: "What the code of a finding or diagnostic means, and what to do",
		Long: "explain says what the code of a finding, note, assumption or diagnostic means, with an example\n" +
			"and what to do. Without a code it lists all codes.",
		Example: "  onnxmem explain unknown-operator\n  onnxmem explain",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			entries := finding.Entries()
			if len(args) > 0 {
				e, ok := finding.Find(args[0])
				if !ok {
					return usagef("unknown code %q; near codes: %s", args[0], nearCodes(args[0]))
				}
				entries = []finding.Entry{e}
			}
			return newInputs(cmd, nil).writeOutput("", func(w io.Writer) error {
				switch {
				case format == "json":
					return writeJSON(w, explanations{explainSchema, asExplanations(entries)})
				case format != "table":
					return usagef("unknown format %q; one of table, json", format)
				case len(args) > 0:
					return explainOne(w, entries[0])
				}
				return listCodes(w, entries)
			})
		},
	}
	inGroup(cmd.Flags(), groupOutput, func() {
		cmd.Flags().StringVar(&format, "format", "table", "output `FORMAT`: table, json")
	})
	return cmd
}

func nearCodes(code string) string {
	var names []string
	for _, c := range finding.Near(code) {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// explanations are codes as JSON.
type explanations struct {
	Schema string        `json:"schema"`
	Codes  []explanation `json:"codes"`
}

type explanation struct {
	Code     finding.Code     `json:"code"`
	Kind     finding.Kind     `json:"kind"`
	Severity finding.Severity `json:"severity"`
	Title    string           `json:"title"`
	Meaning  string           `json:"meaning"`
	Example  string           `json:"example"`
	Remedy   string           `json:"remedy"`
}

func asExplanations(entries []finding.Entry) []explanation {
	list := make([]explanation, len(entries))
	for i, e := range entries {
		list[i] = explanation(e)
	}
	return list
}

// explainOne writes all that is known of one code.
func explainOne(w io.Writer, e finding.Entry) error {
	_, err := fmt.Fprintf(w, "%s (%s, %s)\n%s\n\n%s\n", e.Code, e.Severity, strings.ToLower(string(e.Kind)), e.Title, fold(e.Meaning, "", helpWidth))
	for _, part := range []struct{ title, text string }{{"Example", e.Example}, {"Remedy", e.Remedy}} {
		if err == nil && part.text != "" {
			_, err = fmt.Fprintf(w, "\n%s\n", fold(part.title+": "+part.text, "  ", helpWidth-2))
		}
	}
	return err
}

// listCodes writes one line a code, by kind.
func listCodes(w io.Writer, entries []finding.Entry) error {
	width := 0
	for _, e := range entries {
		width = max(width, len(e.Code))
	}
	var b strings.Builder
	for i, k := range finding.Kinds() {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintln(&b, k)
		for _, e := range entries {
			if e.Kind == k {
				fmt.Fprintf(&b, "  %-*s  %-7s  %s\n", width, e.Code, e.Severity, e.Title)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
