package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/shapeinfer/oprules"
)

// This file reads rules for operators that are not known, and prints some to
// fill in.

// catalogue is the operators that are known with those of --op-rules; nil
// without the flag.
func (b *bindingFlags) catalogue() (*op.Catalogue, error) {
	if b.opRules == "" {
		return nil, nil
	}
	data, err := readFile(b.opRules, oprules.MaxBytes)
	if err != nil {
		return nil, usagef("--op-rules %w", err)
	}
	ops, err := oprules.Parse(data)
	if err != nil {
		return nil, usagef("--op-rules %s: %w", b.opRules, err)
	}
	return catalogue.New().With(ops...), nil
}

// writeRules prints a skeleton of rules for a model's unknown operators.
func writeRules(cmd *cobra.Command, path string) error {
	in := newInputs(cmd, []string{path})
	m, err := in.open(path)
	if err != nil {
		return err
	}
	defer m.Close()
	r, err := infer(path, onnxgraph.Resolve(m.Model), shapeinfer.Options{})
	if err != nil {
		return err
	}
	nodes := r.UnknownNodes()
	if len(nodes) == 0 {
		remark(cmd, "%s: every operator is known", path)
		return nil
	}
	return in.writeOutput("", func(w io.Writer) error {
		_, err := fmt.Fprint(w, oprules.Skeleton(nodes))
		return err
	})
}
