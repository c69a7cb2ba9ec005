package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"onnxmem/report/render"
	"onnxmem/shapeinfer/op"
)

func newOpsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "ops",
		Short: "The operator catalogue and what is known of each",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch format {
			case "table":
				return opsTable(cmd.OutOrStdout(), op.NewCatalogue())
			case "json":
				return writeJSON(cmd.OutOrStdout(), opsList(op.NewCatalogue()))
			}
			return usagef("--format %q: ops knows table and json", format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "output format: table or json")
	return cmd
}

// opEntry is one row of the catalogue as JSON.
type opEntry struct {
	Domain     string `json:"domain"`
	Name       string `json:"name"`
	Versions   []int  `json:"versions"`
	MACs       bool   `json:"macs"`
	View       bool   `json:"view"`
	Deprecated bool   `json:"deprecated"`
}

func opsList(c *op.Catalogue) []opEntry {
	var list []opEntry
	for _, o := range c.Ops() {
		domain := o.Domain
		if domain == "" {
			domain = "ai.onnx"
		}
		list = append(list, opEntry{domain, o.Name, o.Versions, o.MACs != nil, len(o.Views) > 0, o.Deprecated})
	}
	return list
}

func opsTable(w io.Writer, c *op.Catalogue) error {
	for _, e := range opsList(c) {
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
		if _, err := fmt.Fprintf(w, "%-28s %-36s %v%s\n", e.Domain, e.Name, e.Versions, note); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	if err := render.JSON(w, v); err != nil {
		return exitWith(exitUnreadable, err)
	}
	return nil
}
