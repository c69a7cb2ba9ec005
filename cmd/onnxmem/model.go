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

// This file opens the models that commands take.

// models takes from least to most models, any number where most is negative.
func models(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch n := len(args); {
		case n == 0 && least > 0:
			return exitWith(exitNoModel, fmt.Errorf("no model given; try onnxmem %s MODEL", cmd.Name()))
		case n < least || most >= 0 && n > most:
			return usagef("%s takes %d model, not %d: see onnxmem %s --help", cmd.Name(), most, n, cmd.Name())
		}
		return nil
	}
}

// openModel opens a model named on the command line; `-` is standard input.
// The returned function closes it.
func openModel(cmd *cobra.Command, path string) (*onnxgraph.Model, func(), error) {
	m, _, done, err := openModelFile(cmd, path)
	return m, done, err
}

// openModelFile is openModel for commands that need the bytes of the file too.
func openModelFile(cmd *cobra.Command, path string) (*onnxgraph.Model, io.ReaderAt, func(), error) {
	if path == "-" {
		data, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return nil, nil, nil, exitWith(exitUnreadable, fmt.Errorf("standard input: %w", err))
		}
		file := bytes.NewReader(data)
		m, err := onnxgraph.Read(file, int64(len(data)))
		if err != nil {
			return nil, nil, nil, exitWith(exitUnreadable, fmt.Errorf("standard input: %w", err))
		}
		return m, file, func() {}, nil
	}
	f, err := onnxgraph.Open(path)
	if err != nil {
		return nil, nil, nil, exitWith(exitUnreadable, err)
	}
	return f.Model, f, func() { f.Close() }, nil
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
