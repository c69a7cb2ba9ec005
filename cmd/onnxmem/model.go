package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
)

// openModel opens a model named on the command line; `-` is standard input.
// The returned function closes it.
func openModel(cmd *cobra.Command, path string) (*onnxgraph.Model, func(), error) {
	if path == "-" {
		data, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return nil, nil, exitWith(exitUnreadable, fmt.Errorf("standard input: %w", err))
		}
		m, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, nil, exitWith(exitUnreadable, fmt.Errorf("standard input: %w", err))
		}
		return m, func() {}, nil
	}
	f, err := onnxgraph.Open(path)
	if err != nil {
		return nil, nil, exitWith(exitUnreadable, err)
	}
	return f.Model, func() { f.Close() }, nil
}

// infer infers a model under the command line's bindings. Bindings that do not
// fit are wrong usage.
func infer(path string, p *onnxgraph.Program, opts shapeinfer.Options) (*shapeinfer.Result, error) {
	r, err := shapeinfer.InferProgram(p, opts)
	var binding *shapeinfer.BindingError
	switch {
	case errors.As(err, &binding):
		return nil, exitWith(exitUsage, fmt.Errorf("%s: %w", path, err))
	case err != nil:
		return nil, exitWith(exitUnreadable, fmt.Errorf("%s: %w", path, err))
	}
	return r, nil
}
