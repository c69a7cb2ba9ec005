package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"onnxmem/onnxgraph/annotate"
	"onnxmem/shapeinfer"
)

// This file is `shapes -o model.onnx`: a copy of the model with the types that
// were inferred.

// writeAnnotated writes a copy of the model file with the inferred types.
func writeAnnotated(in *inputs, path, output string, file io.ReaderAt, r *shapeinfer.Result) error {
	m := r.Program.Model
	plan, err := annotate.NewPlan(file, m, r.Annotations())
	if err != nil {
		return exitWith(exitUnreadable, fmt.Errorf("%s: %w", path, err))
	}
	if plan.Size() > annotate.MaxReadable && m.Size <= annotate.MaxReadable {
		return exitWith(exitUnreadable, fmt.Errorf("%s: with types the file would have %d bytes, and no runtime reads a model of 2 GiB or more; move its weights to external data first", path, plan.Size()))
	}
	err = in.writeOutput(output, func(w io.Writer) error {
		_, err := plan.WriteTo(w)
		return err
	})
	if err != nil {
		return err
	}
	if path != stdinName && len(m.DataLocations()) > 0 && !sameFile(filepath.Dir(path), filepath.Dir(output)) {
		remark(in.cmd, "%s: its weights are in files next to %s, which are not copied; move the model there to run it", output, path)
	}
	return nil
}

// sameFile reports whether two paths lead to one file or folder.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
