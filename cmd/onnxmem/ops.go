package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"onnxmem/report/render"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
)

// This file is the command ops.

func newOpsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "ops",
		Short:   "The operators that inference knows",
		Example: "  onnxmem ops\n  onnxmem ops --format json",
		Long: "ops lists every known operator with the opset versions that introduced or changed it, then how\n" +
			"many of the operators and versions of ONNX and ONNX Runtime are known, by domain.\n" +
			"macs: multiply-accumulates are counted. view: the output shares the memory of the input.\n" +
			"deprecated: since the last of the versions.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := listOps(catalogue.New())
			switch format {
			case "table":
				return list.table(cmd.OutOrStdout())
			case "json":
				return writeJSON(cmd.OutOrStdout(), list)
			}
			return usagef("unknown format %q; one of table, json", format)
		},
	}
	inGroup(cmd.Flags(), groupOutput, func() {
		cmd.Flags().StringVar(&format, "format", "table", "output `FORMAT`: table, json")
	})
	return cmd
}

// opsSchema names the version of the JSON of ops.
const opsSchema = "onnxmem/ops/v1"

// An opsList is the catalogue as JSON.
type opsList struct {
	Schema    string       `json:"schema"`
	Coverage  []opCoverage `json:"coverage"`
	Operators []opEntry    `json:"operators"`
}

// An opCoverage holds the catalogue's domain against what is declared of it.
// Domains without published declarations have null there.
type opCoverage struct {
	Domain            string `json:"domain"`
	Operators         int    `json:"operators"`
	DeclaredOperators *int   `json:"declared_operators"`
	Versions          int    `json:"versions"`
	DeclaredVersions  *int   `json:"declared_versions"`
}

// opEntry is one row of the catalogue: an operator over the versions that
// behave alike.
type opEntry struct {
	Domain     string `json:"domain"`
	Name       string `json:"name"`
	Versions   []int  `json:"versions"`
	MACs       bool   `json:"macs"`
	View       bool   `json:"view"`
	Deprecated bool   `json:"deprecated"`
}

func listOps(c *op.Catalogue) opsList {
	list := opsList{Schema: opsSchema, Coverage: []opCoverage{}}
	names := map[string]map[string]bool{}
	for _, o := range c.Ops() { // sorted by domain
		domain := o.Domain
		if domain == "" {
			domain = "ai.onnx"
		}
		list.Operators = append(list.Operators, opEntry{domain, o.Name, o.Versions, o.MACs != nil, len(o.Views) > 0, o.Deprecated})
		if names[domain] == nil {
			names[domain] = map[string]bool{}
			list.Coverage = append(list.Coverage, opCoverage{Domain: domain})
			if operators, versions := shapeinfer.DeclaredOperators(o.Domain); operators > 0 {
				last := &list.Coverage[len(list.Coverage)-1]
				last.DeclaredOperators, last.DeclaredVersions = &operators, &versions
			}
		}
		names[domain][o.Name] = true
		last := &list.Coverage[len(list.Coverage)-1]
		last.Operators, last.Versions = len(names[domain]), last.Versions+len(o.Versions)
	}
	return list
}

// table writes the operators, and then the coverage.
func (list opsList) table(w io.Writer) error {
	for _, e := range list.Operators {
		note := ""
		if e.MACs {
			note += " macs"
		}
		if e.View {
			note += " view"
		}
		if e.Deprecated {
			note += " deprecated"
		}
		if _, err := fmt.Fprintf(w, "%-26s %-34s %v%s\n", e.Domain, e.Name, e.Versions, note); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "\n%-26s %-16s %s\n", "domain", "operators", "versions"); err != nil {
		return err
	}
	for _, c := range list.Coverage {
		_, err := fmt.Fprintf(w, "%-26s %-16s %s\n", c.Domain, ofDeclared(c.Operators, c.DeclaredOperators), ofDeclared(c.Versions, c.DeclaredVersions))
		if err != nil {
			return err
		}
	}
	return nil
}

func ofDeclared(n int, declared *int) string {
	if declared == nil {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d of %d", n, *declared)
}

func writeJSON(w io.Writer, v any) error {
	if err := render.JSON(w, v); err != nil {
		return exitWith(exitUnreadable, err)
	}
	return nil
}
