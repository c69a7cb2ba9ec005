package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// run is the program: it parses args, runs the command, prints an error as one
// line, and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(withDefaultCommand(root, args))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err != nil && err.Error() != "" {
		fmt.Fprintln(stderr, "onnxmem: "+strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return exitCode(err)
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "onnxmem",
		Short: "How much memory a model takes, to run and to train, from its .onnx file alone",
		Long: "onnxmem reads an ONNX model file, infers the type of every tensor, and reports how much\n" +
			"memory the model takes to run and to train, and why. `onnxmem MODEL` is `onnxmem report MODEL`.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, sub := range []*cobra.Command{
		newReportCommand(),
		newShapesCommand(),
		newFitCommand(),
		newOpsCommand(),
		newManCommand(),
		newVersionCommand(),
	} {
		root.AddCommand(sub)
	}
	return root
}

// withDefaultCommand makes `onnxmem MODEL` mean `onnxmem report MODEL`: the
// first argument that is no flag is a model when it names no command.
func withDefaultCommand(root *cobra.Command, args []string) []string {
	if len(args) == 0 {
		return args
	}
	first := args[0]
	if first == "-h" || first == "--help" || first == "--version" {
		return args
	}
	switch first {
	case "help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return args
	}
	for _, c := range root.Commands() {
		if c.Name() == first || c.HasAlias(first) {
			return args
		}
	}
	return append([]string{"report"}, args...)
}
