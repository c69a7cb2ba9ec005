package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/memory/devices"
	"onnxmem/report/render"
	"onnxmem/shapeinfer"
)

// This file is the command fit.

// defaultReserve is report.DefaultReserve as a flag has it.
const defaultReserve = "1GB"

// fitFlags are the flags of the fit command.
type fitFlags struct {
	bindings                                       bindingFlags
	training                                       trainingFlags
	format, units, budget, device, reserve, symbol string
}

func newFitCommand() *cobra.Command {
	var flags fitFlags
	cmd := &cobra.Command{
		Use:   "fit MODEL",
		Short: "The largest batch (or other dynamic dimension) that fits a budget or a device",
		Long: "fit searches the largest size of a dynamic dimension at which the model fits a budget, for one\n" +
			"inference run or, with --train, for a training step. It also lists what each known device holds.",
		Example: "  onnxmem fit model.onnx --budget 8GB\n" +
			"  onnxmem fit model.onnx --train --optimizer adamw --device a100-40gb\n" +
			"  onnxmem fit model.onnx --symbol sequence --dim batch=1 --budget 16GiB",
		Args: models(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args[0]) },
	}
	flags.register(cmd.Flags())
	return cmd
}

func (f *fitFlags) register(flags *pflag.FlagSet) {
	inGroup(flags, groupInputs, func() {
		f.bindings.register(flags)
		flags.StringVar(&f.symbol, "symbol", "", "`NAME` of the dynamic dimension to enlarge (default: the first)")
	})
	inGroup(flags, groupOutput, func() {
		flags.StringVar(&f.format, "format", "table", "output `FORMAT`: "+render.FitFormats())
		registerUnits(flags, &f.units)
	})
	inGroup(flags, groupLimits, func() {
		flags.StringVar(&f.budget, "budget", "", "memory that the model may take, `SIZE` such as 8GB or 11GiB")
		flags.StringVar(&f.device, "device", "", "`NAME` of a known device whose memory is the budget; fit lists the names")
		flags.StringVar(&f.reserve, "reserve", defaultReserve, "part of the budget kept for the runtime's context, `SIZE`")
	})
	inGroup(flags, groupTraining, func() { f.training.register(flags) })
}

func (f *fitFlags) run(cmd *cobra.Command, path string) error {
	write, err := render.FindFit(f.format)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	units, err := parseUnits(f.units)
	if err != nil {
		return err
	}
	opts, err := f.options(units)
	if err != nil {
		return err
	}
	in := newInputs(cmd, []string{path}, f.bindings.files()...)
	if err := in.refuse(""); err != nil {
		return err
	}
	m, err := in.open(path)
	if err != nil {
		return err
	}
	defer m.Close()
	if opts.Infer, err = f.bindings.options(m.Model); err != nil {
		return err
	}
	fit, err := fit(cmd.Context(), m.Model, opts)
	if err != nil {
		return err
	}
	if err := in.writeOutput("", func(w io.Writer) error { return write(w, fit, textStyle(units)) }); err != nil {
		return err
	}
	if err := partly(path, fit.InternalErrors()); err != nil {
		return err
	}
	if fit.Largest == nil {
		return exitWith(exitFindings, fmt.Errorf("%s: %s = 1 does not fit in %s", path, fit.Symbol, units.Size(fit.BudgetBytes)))
	}
	return nil
}

// options turns the flags into options of a fit.
func (f *fitFlags) options(units render.Units) (report.FitOptions, error) {
	opts := report.FitOptions{Symbol: f.symbol, Train: f.training.on}
	switch {
	case f.budget != "" && f.device != "":
		return opts, usagef("give --budget or --device, not both")
	case f.budget != "":
		n, err := parseSize("budget", f.budget)
		if err != nil {
			return opts, err
		}
		opts.Budget = n
	case f.device != "":
		d, err := devices.Find(f.device)
		if err != nil {
			return opts, exitWith(exitUsage, err)
		}
		opts.Budget = d.Bytes
	default:
		return opts, usagef("fit needs --budget SIZE or --device NAME")
	}
	n, err := parseSize("reserve", f.reserve)
	if err == nil && opts.Budget <= n {
		err = usagef("--reserve %s leaves nothing of the budget of %s", f.reserve, units.Size(opts.Budget))
	}
	if err != nil {
		return opts, err
	}
	opts.Reserve = &n
	opts.Weights.Untie = f.training.untie
	opts.Training, err = f.training.options()
	return opts, err
}

// parseSize reads a flag's size such as 8GB or 11GiB, in bytes.
func parseSize(flag, text string) (int64, error) {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > 1<<62 {
		return 0, usagef("--%s %q: want a size such as 8GB or 11GiB", flag, text)
	}
	return int64(n), nil
}

func fit(ctx context.Context, m *onnxgraph.Model, opts report.FitOptions) (*report.FitResult, error) {
	opts.Weights.SkipContents = strings.Contains(m.Path, "://")
	fit, err := report.Fit(ctx, m, opts)
	if err == nil {
		return fit, nil
	}
	var binding *shapeinfer.BindingError
	var static *report.StaticError
	var bug *report.InternalError
	switch {
	case errors.As(err, &static):
		return nil, usagef("%s: %w. %s", m.Path, err, nameADimension(static))
	case errors.As(err, &binding):
		return nil, exitWith(exitUsage, fmt.Errorf("%s: %w", m.Path, err))
	case errors.As(err, &bug):
		return nil, exitWith(exitUnreadable, fmt.Errorf("%s: %w", m.Path, err))
	}
	return nil, exitWith(exitFindings, fmt.Errorf("%s: %w", m.Path, err))
}

// nameADimension says how a model without dynamic dimensions gets one.
func nameADimension(e *report.StaticError) string {
	shape := "NAME:batch,..."
	if e.Input != "" {
		var dims strings.Builder
		for _, n := range e.Shape[1:] {
			fmt.Fprintf(&dims, ",%d", n)
		}
		shape = e.Input + ":batch" + dims.String()
	}
	return "Name one with --input-shapes " + shellQuote(shape) + ", or export the model with a dynamic batch"
}
