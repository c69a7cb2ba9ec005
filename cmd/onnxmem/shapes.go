package main

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/render"
	"onnxmem/shapeinfer"
)

// This file is the command shapes.

// shapesFlags are the flags of the shapes command.
type shapesFlags struct {
	bindings bindingFlags
	format   string
	output   string
	strict   bool
}

func newShapesCommand() *cobra.Command {
	var flags shapesFlags
	cmd := &cobra.Command{
		Use:   "shapes MODEL",
		Short: "The type and size of every tensor",
		Long: "shapes lists the inferred type of every tensor, and writes them into a copy of the model as\n" +
			"value_info with -o. Dimensions that depend on the input stay symbolic.",
		Example: "  onnxmem shapes model.onnx\n" +
			"  onnxmem shapes model.onnx --dim batch=8 --format json\n" +
			"  onnxmem shapes model.onnx -o annotated.onnx\n" +
			"  onnxmem shapes model.onnx --feed 'sizes=[1,3,480,640]'",
		Args: models(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd, args[0])
		},
	}
	inGroup(cmd.Flags(), groupInputs, func() { flags.bindings.register(cmd.Flags()) })
	inGroup(cmd.Flags(), groupOutput, func() {
		cmd.Flags().StringVar(&flags.format, "format", "", "output `FORMAT`: "+render.ShapesFormats()+" (default: by the extension of -o, else table)")
		cmd.Flags().StringVarP(&flags.output, "output", "o", "", "write to `FILE`: a copy of the model with value_info where it ends in .onnx, else the list")
	})
	inGroup(cmd.Flags(), groupLimits, func() {
		cmd.Flags().BoolVar(&flags.strict, "strict", false, "exit with 2 when the type of a tensor is unknown")
	})
	return cmd
}

// annotates reports whether -o asks for a model. The list of types is then
// printed only when its format is given.
func (f *shapesFlags) annotates() bool { return strings.EqualFold(filepath.Ext(f.output), ".onnx") }

func (f *shapesFlags) run(cmd *cobra.Command, path string) error {
	format := f.format
	if format == "" {
		format = render.ByExtension(filepath.Ext(f.output))
	}
	write, err := render.FindShapes(format)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if f.annotates() && len(f.bindings.feeds) > 0 {
		return usagef("-o %s: types in a model must hold for every run, so --feed cannot be used; set dynamic dimensions with --dim", f.output)
	}
	in := newInputs(cmd, []string{path}, f.bindings.files()...)
	if err := f.refuseOutputs(in); err != nil {
		return err
	}
	m, err := in.open(path)
	if err != nil {
		return err
	}
	defer m.Close()
	opts, err := f.bindings.options(m.Model)
	if err != nil {
		return err
	}
	r, err := infer(path, onnxgraph.Resolve(m.Model), opts)
	if err != nil {
		return err
	}
	var annotated error // a bug there does not keep the list from being printed
	if f.annotates() {
		annotated = guarded("the annotated model", func() error { return writeAnnotated(in, path, f.output, m, r) })
		if bug := (*report.InternalError)(nil); annotated != nil && !errors.As(annotated, &bug) {
			return annotated
		}
	}
	shapes := report.Shapes(r)
	if list, wanted := f.listOutput(); wanted {
		if err := in.writeOutput(list, func(w io.Writer) error { return write(w, shapes) }); err != nil {
			return err
		}
	}
	if annotated != nil {
		return annotated
	}
	if err := partly(path, shapes.InternalErrors()); err != nil {
		return err
	}
	return judgeShapes(r, shapes, f.strict)
}

// listOutput is where the list of types is wanted, if it is.
func (f *shapesFlags) listOutput() (output string, wanted bool) {
	if f.annotates() {
		return "", f.format != ""
	}
	return f.output, true
}

// refuseOutputs refuses both outputs before the first is written.
func (f *shapesFlags) refuseOutputs(in *inputs) error {
	if err := in.refuse(f.output); err != nil {
		return err
	}
	if list, wanted := f.listOutput(); wanted {
		return in.refuse(list)
	}
	return nil
}

// judgeShapes chooses the exit code after the output was written.
func judgeShapes(r *shapeinfer.Result, shapes *report.ShapesResult, strict bool) error {
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
