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

func newFitCommand() *cobra.Command {
	var flags fitFlags
	cmd := &cobra.Command{
		Use:   "fit MODEL",
		Short: "The largest batch, or other symbol, that fits a budget or a device",
		Args:  models(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd, args[0])
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

// fitFlags are the flags of the fit command.
type fitFlags struct {
	bindings                                bindingFlags
	training                                trainingFlags
	format, budget, device, reserve, symbol string
}

func (f *fitFlags) register(flags *pflag.FlagSet) {
	f.bindings.register(flags)
	f.training.register(flags)
	flags.StringVar(&f.format, "format", "table", "output format: "+render.FitFormats())
	flags.StringVar(&f.budget, "budget", "", "memory that may be taken, `SIZE` such as 8GB or 11GiB")
	flags.StringVar(&f.device, "device", "", "`NAME` of a known device whose memory is the budget; see the table that fit prints")
	flags.StringVar(&f.reserve, "reserve", defaultReserve, "memory kept for the runtime's context, `SIZE`")
	flags.StringVar(&f.symbol, "symbol", "", "`NAME` of the open dim to enlarge (default: the first)")
}

func (f *fitFlags) run(cmd *cobra.Command, path string) error {
	write, err := render.FindFit(f.format)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	opts, err := f.options()
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
	if err := in.writeOutput("", func(w io.Writer) error { return write(w, fit) }); err != nil {
		return err
	}
	if err := partly(path, fit.InternalErrors()); err != nil {
		return err
	}
	if fit.Largest == nil {
		return exitWith(exitFindings, fmt.Errorf("%s: not even %s = 1 fits in %d bytes", path, fit.Symbol, fit.BudgetBytes))
	}
	return nil
}

// options turns the flags into options of a fit.
func (f *fitFlags) options() (report.FitOptions, error) {
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
		err = usagef("the memory of %d bytes is all taken by the --reserve of %s for the runtime's context", opts.Budget, f.reserve)
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
	if errors.As(err, &binding) || errors.Is(err, report.ErrNothingOpen) {
		return nil, exitWith(exitUsage, fmt.Errorf("%s: %w", m.Path, err))
	}
	var bug *report.InternalError
	if errors.As(err, &bug) {
		return nil, exitWith(exitUnreadable, fmt.Errorf("%s: %w", m.Path, err))
	}
	return nil, exitWith(exitFindings, fmt.Errorf("%s: %w", m.Path, err))
}
