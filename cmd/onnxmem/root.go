package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"onnxmem/report/render"
)

// run is the program: it parses args, runs the command, prints an error as one
// line, and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(withDefaultCommand(root, args))
	root.SetIn(stdin)
	out := &standardOutput{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := guarded("the command", root.Execute)
	if out.err != nil {
		err = cannotWrite("standard output", out.err)
	}
	if err != nil {
		printError(stderr, err)
	}
	return exitCode(err)
}

// printError prints an error as one line, several that were joined as one each,
// and one without a message not at all.
func printError(w io.Writer, err error) {
	var coded *exitError
	if errors.As(err, &coded) {
		if joined, ok := coded.err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				printError(w, e)
			}
			return
		}
	}
	if text := err.Error(); text != "" {
		printLine(w, text)
	}
}

// printLine prints a line on standard error. Names in it may come from a hostile
// file.
func printLine(w io.Writer, text string) {
	fmt.Fprintln(w, "onnxmem: "+render.Printable(lineBreaks.Replace(text)))
}

// lineBreaks joins the lines of messages of libraries.
var lineBreaks = strings.NewReplacer("\n", " ", "\t", " ")

// remark prints a line on standard error that is no error, unless --quiet is
// given.
func remark(cmd *cobra.Command, format string, args ...any) {
	if quiet, err := cmd.Flags().GetBool("quiet"); err == nil && !quiet {
		printLine(cmd.ErrOrStderr(), fmt.Sprintf(format, args...))
	}
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "onnxmem",
		Short: "How much memory inference and training of an ONNX model take, from its file alone",
		Long: "onnxmem reads an ONNX model file, infers the type of every tensor, and reports how much memory\n" +
			"inference and training take, and why. `onnxmem MODEL` is `onnxmem report MODEL`.",
		Example: "  onnxmem model.onnx\n" +
			"  onnxmem report --train model.onnx --dim batch=8\n" +
			"  onnxmem fit model.onnx --train --budget 8GB\n" +
			"  onnxmem explain unknown-operator",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:       programVersion(),
	}
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("onnxmem {{.Version}}\n")
	root.SetUsageFunc(usage)
	root.PersistentFlags().Bool("quiet", false, "print only errors on standard error")
	for _, sub := range []*cobra.Command{
		newReportCommand(),
		newShapesCommand(),
		newFitCommand(),
		newOpsCommand(),
		newExplainCommand(),
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
	first := ""
	for _, first = range args {
		if first != "--quiet" {
			break
		}
	}
	if first == "" || first == "--quiet" {
		return args
	}
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
