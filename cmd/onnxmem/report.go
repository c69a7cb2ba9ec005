package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/memory/devices"
	"onnxmem/report/memory/runtimes"
	"onnxmem/report/memory/weights"
	"onnxmem/report/render"
	"onnxmem/shapeinfer"
)

// This file is the command report.

// reportFlags are the flags of the report command.
type reportFlags struct {
	bindings    bindingFlags
	limits      limitFlags
	format      string
	output      string
	units       string
	infer       string
	batchNorm   weights.BatchNormMode
	runtime     runtimes.Runtime
	strict      bool
	perNode     bool
	freeInputs  bool
	reuseInputs bool
	digest      bool
	top         int
	training    trainingFlags
	device      string
	reserve     string
}

func newReportCommand() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report MODEL...",
		Short: "How much memory inference and training take, and why (the default command)",
		Long: "report counts weights, activations, the inference peak and a training step, and explains the peak.\n" +
			"`onnxmem MODEL` is `onnxmem report MODEL`. Several models, one report each.",
		Example: "  onnxmem report model.onnx\n" +
			"  onnxmem report model.onnx --dim batch=8 --train --optimizer adamw --precision amp-bf16\n" +
			"  onnxmem report model.onnx --input-shapes image:8x3x224x224 -o report.html\n" +
			"  onnxmem report model.onnx --max-peak 500MB --baseline old.json --tolerance 2%",
		Args: models(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd, args)
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

func (f *reportFlags) register(flags *pflag.FlagSet) {
	inGroup(flags, groupInputs, func() {
		f.bindings.register(flags)
		flags.StringVar(&f.infer, "infer-shapes", "on", "`MODE` of shape inference: on; off: only the types that the file declares; strict: exit with 2 when a size is unknown")
	})
	inGroup(flags, groupOutput, func() {
		flags.StringVar(&f.format, "format", "", "output `FORMAT`: "+render.ReportFormats()+" (default: by the extension of -o, else table)")
		flags.StringVarP(&f.output, "output", "o", "", "write to `FILE` instead of standard output")
		registerUnits(flags, &f.units)
		flags.IntVar(&f.top, "top", report.DefaultTop, "number `N` of rows in the lists of the largest tensors")
		flags.BoolVar(&f.perNode, "per-node", false, "list every node with its parameters, output bytes and multiply-accumulates")
		flags.BoolVar(&f.digest, "digest", false, "add the file's SHA-256, which reads the whole file")
	})
	inGroup(flags, groupLimits, func() {
		f.limits.register(flags)
		flags.BoolVar(&f.strict, "strict", false, "the same as --infer-shapes strict")
	})
	inGroup(flags, groupTraining, func() {
		f.training.register(flags)
		optionFlag(flags, &f.batchNorm, "batchnorm", "`MODE` of BatchNormalization that the exporter folded into convolutions (auto: detect; folded: after every convolution)")
	})
	inGroup(flags, groupRuntime, func() {
		optionFlag(flags, &f.runtime, "runtime", "`NAME` of the runtime whose memory is estimated")
		flags.BoolVar(&f.freeInputs, "free-inputs", false, "free inputs after their last use instead of holding them to the end")
		flags.BoolVar(&f.reuseInputs, "reuse-inputs", false, "let elementwise nodes write over inputs that no other node needs")
		flags.StringVar(&f.device, "device", "", "check whether the model fits the device of that `NAME`; `onnxmem fit` lists the names")
		flags.StringVar(&f.reserve, "reserve", defaultReserve, "part of --device kept for the runtime's context, `SIZE`")
	})
}

// run reports on each model, also when one of them cannot be read; the worst
// outcome is the exit code.
func (f *reportFlags) run(cmd *cobra.Command, paths []string) error {
	if err := f.check(); err != nil {
		return err
	}
	write, err := render.FindReport(f.formatName())
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if len(paths) > 1 && render.HoldsOneReport(f.formatName()) {
		return usagef("--format %s holds one report, not %d: run it once per model", f.formatName(), len(paths))
	}
	in := newInputs(cmd, paths, append(f.bindings.files(), flagFile{"baseline", f.limits.baseline})...)
	var worst error
	err = in.writeOutput(f.output, func(out io.Writer) error {
		w := notingWriter{Writer: out}
		if worst = f.each(in, &w, write); !w.wrote {
			return worst // no report came about, so that none may replace a file
		}
		return w.err
	})
	if err != nil {
		return err
	}
	return worst
}

// A notingWriter knows whether anything was written, and whether that failed.
type notingWriter struct {
	io.Writer
	wrote bool
	err   error
}

// Write implements [io.Writer].
func (w *notingWriter) Write(p []byte) (int, error) {
	w.wrote = w.wrote || len(p) > 0
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// flush writes what is buffered below, so that a failure shows.
func (w *notingWriter) flush() {
	if buffer, ok := w.Writer.(interface{ Flush() error }); ok && w.err == nil {
		w.err = buffer.Flush()
	}
}

// A reportWriter writes one report in one format.
type reportWriter func(io.Writer, *report.Result, render.Style) error

// each reports on the models one after the other and returns the worst
// outcome. Of several models each says what is wrong with it at once.
func (f *reportFlags) each(in *inputs, out *notingWriter, write reportWriter) error {
	var worst error
	for i, path := range in.models {
		if i > 0 && f.formatName() == "table" {
			fmt.Fprintln(out)
		}
		err := guarded("the report of "+path, func() error { return f.one(in, path, i > 0, out, write) })
		if out.flush(); out.err != nil {
			return nil //nolint:nilerr // the output is gone: nobody would see the others
		}
		if err != nil {
			if len(in.models) > 1 {
				printError(in.cmd.ErrOrStderr(), err)
				err = exitWith(exitCode(err), nil)
			}
			if worst == nil || exitCode(err) > exitCode(worst) {
				worst = err
			}
		}
	}
	return worst
}

// check refuses flag values that mean nothing, before any work.
func (f *reportFlags) check() error {
	if _, err := parseUnits(f.units); err != nil {
		return err
	}
	if !slices.Contains([]string{"off", "on", "strict"}, f.infer) {
		return usagef("--infer-shapes %q: want on, off or strict", f.infer)
	}
	if f.top < 0 {
		return usagef("--top %d: want a number of at least 0", f.top)
	}
	if _, err := f.training.options(); err != nil {
		return err
	}
	return f.limits.check()
}

// formatName is the format asked for, else the one of the output's extension.
func (f *reportFlags) formatName() string {
	if f.format != "" {
		return f.format
	}
	return render.ByExtension(filepath.Ext(f.output))
}

// one reports on one model.
func (f *reportFlags) one(in *inputs, path string, continues bool, out io.Writer, write reportWriter) error {
	m, err := in.open(path)
	if err != nil {
		return err
	}
	defer m.Close()
	opts, err := f.options(path, m.Model)
	if err != nil {
		return err
	}
	a, err := report.Analyze(m.Model, opts)
	var binding *shapeinfer.BindingError
	switch {
	case errors.As(err, &binding):
		return exitWith(exitUsage, fmt.Errorf("%s: %w", path, err))
	case err != nil:
		return exitWith(exitUnreadable, fmt.Errorf("%s: %w", path, err))
	}
	r, err := a.Result(in.cmd.Context())
	if err != nil {
		return exitWith(exitUnreadable, fmt.Errorf("%s: %w", path, err))
	}
	if f.digest {
		sum, err := digest(m, m.Size)
		if err != nil {
			return exitWith(exitUnreadable, fmt.Errorf("%s: %w", path, err))
		}
		r.Model.SHA256 = &sum
	}
	if f.device != "" {
		d, err := devices.Find(f.device)
		if err != nil {
			return exitWith(exitUsage, err)
		}
		reserve, err := parseSize("reserve", f.reserve)
		if err != nil {
			return err
		}
		r.CheckDevice(d, reserve)
	}
	err = guarded("the format "+f.formatName(), func() error {
		style := f.style()
		style.Continues = continues
		return write(out, r, style)
	})
	if err != nil {
		return exitWith(exitUnreadable, err)
	}
	if err := partly(path, r.InternalErrors()); err != nil {
		return err
	}
	return f.judge(path, a, r)
}

// style is how reports are written.
func (f *reportFlags) style() render.Style {
	units, err := parseUnits(f.units)
	if err != nil {
		units = render.SI // check has refused it
	}
	s := textStyle(units)
	s.PerNode, s.Top, s.Train = f.perNode, f.top, f.training.on
	return s
}

func (f *reportFlags) options(path string, m *onnxgraph.Model) (report.Options, error) {
	infer, err := f.bindings.options(m)
	if err != nil {
		return report.Options{}, err
	}
	infer.DeclaredOnly = f.infer == "off"
	train, err := f.training.options()
	if err != nil {
		return report.Options{}, err
	}
	return report.Options{
		Infer: infer, Weights: weights.Options{BatchNorm: f.batchNorm, Untie: f.training.untie, SkipContents: strings.Contains(path, "://")},
		FreeInputs: f.freeInputs, ReuseInputs: f.reuseInputs, Runtime: f.runtime, Top: &f.top, Training: train, Advice: f.training.on,
		PerNode: f.perNode || f.formatName() != "table", Timeline: f.formatName() != "table",
	}, nil
}

// judge chooses the exit code after the output was written.
func (f *reportFlags) judge(path string, a *report.Analysis, r *report.Result) error {
	if err := f.limits.judge(path, r, f.style().Units); err != nil {
		return err
	}
	if a.HasErrors() {
		return exitWith(exitFindings, nil)
	}
	if (f.strict || f.infer == "strict") && len(r.Inference.Unknown) > 0 {
		return exitWith(exitUnreadable, fmt.Errorf("%s: %w", path, &report.SizesUnknownError{Unknown: r.Inference.Unknown}))
	}
	return nil
}
