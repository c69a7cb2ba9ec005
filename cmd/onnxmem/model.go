package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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
			return exitWith(exitNoModel, fmt.Errorf("no model given: onnxmem %s MODEL", cmd.Name()))
		case n < least || most >= 0 && n > most:
			return usagef("%s takes %d model, not %d; see onnxmem %s --help", cmd.Name(), most, n, cmd.Name())
		}
		return nil
	}
}

// A modelFile is an open model and the bytes of its file.
type modelFile struct {
	*onnxgraph.Model
	io.ReaderAt
	close func() error // nil where there is nothing to close
}

// Close closes the file.
func (m *modelFile) Close() error {
	if m.close == nil {
		return nil
	}
	return m.close()
}

// open opens a model named on the command line; `-` is standard input. A pipe
// such as <(...) makes is read once.
func (in *inputs) open(path string) (*modelFile, error) {
	if in.ahead != nil && in.aheadPath == path {
		m := in.ahead
		in.ahead = nil
		return m, nil
	}
	if m := in.streams[path]; m != nil {
		return m, nil
	}
	m, stream, err := in.read(path)
	if err != nil {
		return nil, exitWith(exitUnreadable, err)
	}
	m.Path = path // of a stream, too
	if stream {
		in.streams[path] = m
	}
	return m, nil
}

// read opens a model; stream is whether its file can be read once only.
func (in *inputs) read(path string) (m *modelFile, stream bool, err error) {
	if path == stdinName {
		m, err = readStream(in.cmd.InOrStdin())
		if err != nil {
			err = fmt.Errorf("standard input: %w", err)
		}
		return m, true, err
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		pipe, err := os.Open(path)
		if err != nil {
			return nil, true, err
		}
		defer pipe.Close()
		if m, err = readStream(pipe); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return m, true, err
	}
	f, err := onnxgraph.Open(path)
	if err != nil {
		return nil, false, err
	}
	return &modelFile{f.Model, f, f.Close}, false, nil
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
