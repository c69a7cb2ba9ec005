package main

import (
	"github.com/spf13/cobra"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/render"
	"onnxmem/shapeinfer"
)

func newShapesCommand() *cobra.Command {
	var (
		bindings bindingFlags
		format   string
		strict   bool
	)
	cmd := &cobra.Command{
		Use:   "shapes MODEL",
		Short: "The type of every tensor",
		Args:  exactModels(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := render.FindShapes(format)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			m, done, err := openModel(cmd, args[0])
			if err != nil {
				return err
			}
			defer done()
			opts, err := bindings.options(m)
			if err != nil {
				return err
			}
			r, err := infer(args[0], onnxgraph.Resolve(m), opts)
			if err != nil {
				return err
			}
			shapes := report.MakeShapes(args[0], r)
			if err := write(cmd.OutOrStdout(), shapes); err != nil {
				return exitWith(exitUnreadable, err)
			}
			return judgeShapes(r, shapes, strict)
		},
	}
	bindings.register(cmd.Flags())
	cmd.Flags().StringVar(&format, "format", "table", "output format: "+render.ShapesFormats())
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 2 when the type of a tensor is not known")
	return cmd
}

// judgeShapes chooses the exit code after the output was written.
func judgeShapes(r *shapeinfer.Result, shapes *report.Shapes, strict bool) error {
	if r.HasErrors() {
		return exitWith(exitFindings, nil)
	}
	if strict {
		for _, t := range shapes.Tensors {
			if t.Known == report.NotKnown {
				return exitWith(exitUnreadable, nil)
			}
		}
	}
	return nil
}

// exactModels refuses a wrong number of models as wrong usage.
func exactModels(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %d model, not %d: see onnxmem %s --help", cmd.Name(), n, len(args), cmd.Name())
		}
		return nil
	}
}
