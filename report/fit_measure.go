package report

import (
	"context"
	"fmt"
	"maps"

	"onnxmem/shapeinfer"
)

// measureAt measures the model at sizes of a symbol, several at a time if need
// be. The error is a *invalidSizeError for sizes that the model cannot have, and ctx's
// once that is done.
func (a *Analysis) measureAt(ctx context.Context, opts FitOptions) func(int64) (int64, error) {
	return func(n int64) (int64, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		sized, err := a.sized(opts.Symbol, n)
		if err != nil {
			return 0, err
		}
		var bytes int64
		if opts.Train {
			bytes, err = trainingReserved(sized, opts.Training)
		} else {
			bytes, err = measureRun(sized)
		}
		if err != nil {
			return 0, fmt.Errorf("at %s = %d: %w", opts.Symbol, n, err)
		}
		return bytes, nil
	}
}

// sized infers the model at one size of a symbol.
func (a *Analysis) sized(symbol string, n int64) (*Analysis, error) {
	infer := a.opts.Infer
	infer.Dims = maps.Clone(infer.Dims)
	if infer.Dims == nil {
		infer.Dims = map[string]int64{}
	}
	if _, bound := infer.Dims[symbol]; !bound {
		infer.Dims[symbol] = n
	}
	infer.DefaultDims = 1
	r, err := shapeinfer.InferProgram(a.Program, infer)
	if err != nil {
		return nil, err
	}
	if r.HasErrors() && !a.Symbolic.HasErrors() {
		return nil, &invalidSizeError{symbol, firstError(r), n}
	}
	return a.with(r, infer), nil
}
