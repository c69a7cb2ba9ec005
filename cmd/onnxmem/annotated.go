package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/annotate"
	"onnxmem/shapeinfer"
)

// This file is `shapes -o model.onnx`: a copy of the model with the types that
// were inferred.

// writeAnnotated writes a copy of the model file with the inferred types.
func writeAnnotated(cmd *cobra.Command, path, output string, file io.ReaderAt, r *shapeinfer.Result) error {
	m := r.Program.Model
	plan, err := annotate.NewPlan(file, m, r.Annotations())
	if err != nil {
		return exitWith(exitUnreadable, fmt.Errorf("%s: %w", path, err))
	}
	if plan.Size() > annotate.MaxReadable && m.Size <= annotate.MaxReadable {
		return exitWith(exitUnreadable, fmt.Errorf("%s: with types it would take %d bytes, and no runtime reads a model of 2 GiB or more; move its weights to external data first", path, plan.Size()))
	}
	err = replaceFile(output, func(w io.Writer) error {
		_, err := plan.WriteTo(w)
		return err
	})
	if err != nil {
		return exitWith(exitUnreadable, fmt.Errorf("%s: cannot be written: %w", output, err))
	}
	if path != "-" && hasExternalData(m) && !sameFile(filepath.Dir(path), filepath.Dir(output)) {
		remark(cmd, "%s: its weights lie beside %s, in files that are not copied; move it there before it runs", output, path)
	}
	return nil
}

// refuseOverwrite refuses an output that is the model itself, or one of the
// files that hold its weights.
func refuseOverwrite(path string, m *onnxgraph.Model, output string) error {
	if path == "-" {
		return nil
	}
	if sameFile(path, output) {
		return usagef("-o %s is the model itself, which is never overwritten: give another name", output)
	}
	if !exists(output) {
		return nil
	}
	var err error
	seen := map[string]bool{}
	eachTensor(m, func(t *onnxgraph.Tensor) {
		location, _, _, _ := t.ExternalLocation()
		if !t.External || seen[location] {
			return
		}
		seen[location] = true
		if onnxgraph.CheckLocation(location) == nil && sameFile(filepath.Join(filepath.Dir(path), filepath.FromSlash(location)), output) {
			err = usagef("-o %s holds weights of %s, which are never overwritten: give another name", output, path)
		}
	})
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func hasExternalData(m *onnxgraph.Model) bool {
	found := false
	eachTensor(m, func(t *onnxgraph.Tensor) { found = found || t.External })
	return found
}

// eachTensor visits the stored tensors of a model: initializers and those in
// attributes, of bodies and functions too.
func eachTensor(m *onnxgraph.Model, visit func(*onnxgraph.Tensor)) {
	var graph func(*onnxgraph.Graph)
	sparse := func(s *onnxgraph.SparseTensor) {
		if s != nil && s.Values != nil && s.Indices != nil {
			visit(s.Values)
			visit(s.Indices)
		}
	}
	nodes := func(nodes []*onnxgraph.Node) {
		for _, n := range nodes {
			for _, a := range n.Attributes {
				if a.Tensor != nil {
					visit(a.Tensor)
				}
				for _, t := range a.Tensors {
					visit(t)
				}
				sparse(a.SparseTensor)
				for _, s := range a.SparseTensors {
					sparse(s)
				}
				if a.Graph != nil {
					graph(a.Graph)
				}
				for _, g := range a.Graphs {
					graph(g)
				}
			}
		}
	}
	graph = func(g *onnxgraph.Graph) {
		for _, t := range g.Initializers {
			visit(t)
		}
		for _, s := range g.SparseInitializers {
			sparse(s)
		}
		nodes(g.Nodes)
	}
	graph(m.Graph)
	for _, f := range m.Functions {
		nodes(f.Nodes)
	}
}

// sameFile reports whether two paths lead to one file or folder.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
