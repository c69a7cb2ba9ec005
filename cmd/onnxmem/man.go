package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// This file is the command man.

// newManCommand makes manual pages from the help of all commands.
func newManCommand() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:     "man [COMMAND]",
		Short:   "The manual page of a command, or the pages of all commands",
		Example: "  onnxmem man report | man -l -\n  onnxmem man --dir share/man/man1",
		Long: "man prints the manual page of onnxmem or of one of its commands. With --dir it writes the pages\n" +
			"of all commands into a folder.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true // pages must not change from day to day
			if folder != "" {
				return manFolder(root, folder)
			}
			page, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("man: unknown command %q", args[0])
			}
			return newInputs(cmd, nil).writeOutput("", func(w io.Writer) error { return doc.GenMan(page, manHeader(), w) })
		},
	}
	cmd.Flags().StringVar(&folder, "dir", "", "write the pages of all commands into this `FOLDER`, such as share/man/man1")
	return cmd
}

func manHeader() *doc.GenManHeader {
	return &doc.GenManHeader{Section: "1", Source: "onnxmem", Manual: "onnxmem"}
}

// manFolder writes the pages under the names that man looks for, such as
// onnxmem-report.1.
func manFolder(root *cobra.Command, folder string) error {
	if err := os.MkdirAll(filepath.Clean(folder), 0o755); err != nil {
		return cannotWrite(folder, err)
	}
	in := newInputs(root, nil)
	for _, page := range manPages(root) {
		name := strings.ReplaceAll(page.CommandPath(), " ", "-") + "." + manHeader().Section
		err := in.writeOutput(filepath.Join(folder, name), func(w io.Writer) error { return doc.GenMan(page, manHeader(), w) })
		if err != nil {
			return err
		}
	}
	return nil
}

// manPages are the command and those below it that help lists.
func manPages(cmd *cobra.Command) []*cobra.Command {
	pages := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			pages = append(pages, manPages(sub)...)
		}
	}
	return pages
}
