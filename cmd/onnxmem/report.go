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
	gates       gateFlags
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
		Short: "How much memory, to run and to train; `onnxmem MODEL` is the same",
		Args:  models(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd, args)
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

func (f *reportFlags) register(flags *pflag.FlagSet) {
	f.bindings.register(flags)
	f.gates.register(flags)
	flags.StringVar(&f.format, "format", "", "output format: "+render.ReportFormats()+" (default: by the extension of -o, else table)")
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE` instead of standard output")
	flags.StringVar(&f.units, "units", "si", "units of sizes in text: si (1 kB = 1000 bytes) or iec (1 KiB = 1024 bytes)")
	flags.StringVar(&f.infer, "infer-shapes", "on", "off: use the file's declared types only; on; strict: exit with 2 when something is not known")
	optionFlag(flags, &f.batchNorm, "batchnorm", "BatchNormalizations that the exporter folded into convolutions, found by the weights' names (auto) or behind every convolution (folded)")
	optionFlag(flags, &f.runtime, "runtime", "runtime whose memory is estimated")
	flags.StringVar(&f.device, "device", "", "say whether the model fits on the device of that `NAME`; `onnxmem fit --help` says more")
	flags.StringVar(&f.reserve, "reserve", defaultReserve, "memory of --device kept for the runtime's context, `SIZE`")
	flags.BoolVar(&f.strict, "strict", false, "the same as --infer-shapes strict")
	flags.BoolVar(&f.perNode, "per-node", false, "list every node with its parameters, output bytes and multiply-accumulates")
	flags.BoolVar(&f.freeInputs, "free-inputs", false, "let inputs go after their last use instead of holding them to the end")
	flags.BoolVar(&f.reuseInputs, "reuse-inputs", false, "let elementwise nodes write over an input that nothing needs any more")
	flags.BoolVar(&f.digest, "digest", false, "compute the file's SHA-256, which reads all of it")
	flags.IntVar(&f.top, "top", report.DefaultTop, "rows in the lists of the largest things")
	f.training.register(flags)
}

// run reports on each model. A model that cannot be read does not keep the
// others from being reported; the worst outcome is the exit code.
func (f *reportFlags) run(cmd *cobra.Command, paths []string) error {
	if err := f.check(); err != nil {
		return err
	}
	write, err := render.FindReport(f.formatName())
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if len(paths) > 1 && render.HoldsOneReport(f.formatName()) {
		return usagef("--format %s holds the report of one model, not of %d: run it once for each", f.formatName(), len(paths))
	}
	in := newInputs(cmd, paths, append(f.bindings.files(), flagFile{"baseline", f.gates.baseline})...)
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
			return nil // nobody would see the others
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
	if f.units != "si" && f.units != "iec" {
		return usagef("--units %q: want si or iec", f.units)
	}
	if !slices.Contains([]string{"off", "on", "strict"}, f.infer) {
		return usagef("--infer-shapes %q: want off, on or strict", f.infer)
	}
	if f.top < 0 {
		return usagef("--top %d: want a number of at least 0", f.top)
	}
	if _, err := f.training.options(); err != nil {
		return err
	}
	return f.gates.check()
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
		return write(out, r, render.Style{IEC: f.units == "iec", PerNode: f.perNode, Top: f.top, Width: 100, Train: f.training.on, Continues: continues})
	})
	if err != nil {
		return exitWith(exitUnreadable, err)
	}
	if err := partly(path, r.InternalErrors()); err != nil {
		return err
	}
	return f.judge(path, a, r)
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
	if err := f.gates.judge(path, r); err != nil {
		return err
	}
	if a.HasErrors() {
		return exitWith(exitFindings, nil)
	}
	if (f.strict || f.infer == "strict") && len(r.Inference.Unknown) > 0 {
		return exitWith(exitUnreadable, fmt.Errorf("%s: the size of %d tensors is not known, the first being %s: %s",
			path, len(r.Inference.Unknown), r.Inference.Unknown[0].Name, r.Inference.Unknown[0].Reason))
	}
	return nil
}
