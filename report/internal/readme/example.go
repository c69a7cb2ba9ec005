package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/render"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// The example is a small convolutional network with its weights.
const (
	exampleModel = "ch_ppocr_mobile_v2.0_cls_infer.onnx"
	exampleInput = "x"
)

// example runs a report as the command line does, and shows the command above
// its output.
func example(testdata string) (string, error) {
	file, err := onnxgraph.Open(filepath.Join(testdata, "models", exampleModel))
	if err != nil {
		return "", err
	}
	defer file.Close()
	path := "testdata/models/" + exampleModel
	shapes := map[string][]dim.Dim{exampleInput: tensor.IntShape(32, 3, 48, 192).Dims()}
	file.Path = path
	a, err := report.Analyze(file.Model, report.Options{Infer: shapeinfer.Options{InputShapes: shapes}, Advice: true})
	if err != nil {
		return "", err
	}
	r, err := a.Result(context.Background())
	if err != nil {
		return "", err
	}
	write, err := render.FindReport("table")
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := write(&out, r, render.Style{Top: 3, Width: 100, Train: true}); err != nil {
		return "", err
	}
	if out.Len() == 0 {
		return "", errors.New("the example's report is empty")
	}
	command := "$ onnxmem report --train --top 3 " + path + " \\\n      --input-shapes " + exampleInput + ":32x3x48x192\n"
	return "```\n" + command + strings.TrimRight(out.String(), "\n") + "\n```\n", nil
}
