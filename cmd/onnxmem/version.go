package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// This file is the command version.

func newVersionCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			version := programVersion()
			switch format {
			case "table":
				fmt.Fprintln(cmd.OutOrStdout(), "onnxmem "+version)
			case "json":
				return writeJSON(cmd.OutOrStdout(), map[string]string{"name": "onnxmem", "version": version})
			default:
				return usagef("unknown format %q; one of table, json", format)
			}
			return nil
		},
	}
	inGroup(cmd.Flags(), groupOutput, func() {
		cmd.Flags().StringVar(&format, "format", "table", "output `FORMAT`: table, json")
	})
	return cmd
}

// programVersion is the version that the Go toolchain recorded in the binary.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
