package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/memory/devices"
	"onnxmem/report/memory/weights"
	"onnxmem/report/render"
	"onnxmem/shapeinfer"
)

// This file is the command fit.

// defaultReserve is kept for the context of a runtime on a device: libraries,
// kernels and workspaces. It differs by driver and library; 1 GB is on the
// careful side.
const defaultReserve = "1GB"

func newFitCommand() *cobra.Command {
	var (
		bindings                        bindingFlags
		format, budget, device, reserve string
		symbol                          string
		training                        trainingFlags
	)
	cmd := &cobra.Command{
		Use:   "fit MODEL",
		Short: "The largest batch, or other symbol, that fits a budget or a device",
		Args:  models(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := render.FindFit(format)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			opts, err := fitOptions(symbol, budget, device, reserve)
			if err != nil {
				return err
			}
			if training.on {
				trainOpts, err := training.options()
				if err != nil {
					return err
				}
				opts.Training = &trainOpts
			}
			in := newInputs(cmd, args, bindings.files()...)
			if err := in.refuse(""); err != nil {
				return err
			}
			m, err := in.open(args[0])
			if err != nil {
				return err
			}
			defer m.Close()
			inferOpts, err := bindings.options(m.Model)
			if err != nil {
				return err
			}
			fit, err := findFit(cmd.Context(), m.Model, report.Options{Infer: inferOpts, Weights: weights.Options{Untie: training.untie, SkipContents: strings.Contains(args[0], "://")}}, opts)
			if err != nil {
				return err
			}
			if err := in.writeOutput("", func(w io.Writer) error { return write(w, fit) }); err != nil {
				return err
			}
			if err := partly(args[0], fit.InternalErrors()); err != nil {
				return err
			}
			if fit.Largest == nil {
				return exitWith(exitFindings, fmt.Errorf("%s: not even %s = 1 fits in %d bytes", args[0], fit.Symbol, fit.BudgetBytes))
			}
			return nil
		},
	}
	bindings.register(cmd.Flags())
	training.register(cmd.Flags())
	cmd.Flags().StringVar(&format, "format", "table", "output format: "+render.FitFormats())
	cmd.Flags().StringVar(&budget, "budget", "", "memory that may be taken, `SIZE` such as 8GB or 11GiB")
	cmd.Flags().StringVar(&device, "device", "", "`NAME` of a known device whose memory is the budget; see the table that fit prints")
	cmd.Flags().StringVar(&reserve, "reserve", defaultReserve, "memory kept for the runtime's context, `SIZE`")
	cmd.Flags().StringVar(&symbol, "symbol", "", "`NAME` of the open dim to enlarge (default: the first)")
	return cmd
}

func fitOptions(symbol, budget, device, reserve string) (report.FitOptions, error) {
	opts := report.FitOptions{Symbol: symbol}
	switch {
	case budget != "" && device != "":
		return opts, usagef("give --budget or --device, not both")
	case budget != "":
		n, err := parseSize("budget", budget)
		if err != nil {
			return opts, err
		}
		opts.Budget = n
	case device != "":
		d, err := devices.Find(device)
		if err != nil {
			return opts, exitWith(exitUsage, err)
		}
		opts.Budget = d.Bytes
	default:
		return opts, usagef("fit needs --budget SIZE or --device NAME")
	}
	n, err := parseSize("reserve", reserve)
	if err == nil && opts.Budget <= n {
		err = usagef("the memory of %d bytes is all taken by the --reserve of %s for the runtime's context", opts.Budget, reserve)
	}
	opts.Reserve = n
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

func findFit(ctx context.Context, m *onnxgraph.Model, analysis report.Options, opts report.FitOptions) (*report.Fit, error) {
	a, err := report.Analyze(m, analysis)
	if err == nil {
		var fit *report.Fit
		if fit, err = a.FindFit(ctx, opts); err == nil {
			return fit, nil
		}
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
