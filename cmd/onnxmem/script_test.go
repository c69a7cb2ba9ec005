package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/testdata/corpus"
)

// TestMain makes the program a command of the scripts, run in a process of its
// own so that exit codes are real.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"onnxmem": func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the scripts in testdata/script. Each starts in a folder with
// the small real models of the repository and the models built here.
func TestScripts(t *testing.T) {
	root := corpus.Root(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			for name, data := range scriptModels() {
				if err := os.WriteFile(filepath.Join(env.WorkDir, name), data, 0o600); err != nil {
					return err
				}
			}
			env.Setenv("MODELS", filepath.Join(root, "models"))
			return nil
		},
	})
}

// scriptModels are the models that scripts name.
func scriptModels() map[string][]byte {
	linear := modeltest.New(17).
		Input("image", onnxgraph.Float, "batch", 3, 4, 4).
		InitZeros("w", onnxgraph.Float, 8, 3, 3, 3).
		InitZeros("b", onnxgraph.Float, 8).
		Node("Conv", []string{"image", "w", "b"}, []string{"features"}, modeltest.Ints("pads", 1, 1, 1, 1)).
		Node("Relu", []string{"features"}, []string{"y"}).
		Output("y")
	broken := modeltest.New(17).
		Input("x", onnxgraph.Float, 2, 3).
		InitZeros("w", onnxgraph.Float, 4, 5).
		Node("MatMul", []string{"x", "w"}, []string{"y"}).
		Output("y")
	unknown := modeltest.New(17).
		Input("x", onnxgraph.Float, 2, 3).
		Node("NonZero", []string{"x"}, []string{"y"}).
		Output("y")
	reshape := modeltest.New(17).
		Input("x", onnxgraph.Float, 2, 6).
		Input("shape", onnxgraph.Int64, 2).
		Node("Reshape", []string{"x", "shape"}, []string{"y"}).
		Output("y")
	external := modeltest.New(17).
		Input("x", onnxgraph.Float, "n", 3).
		InitExternal("w", onnxgraph.Float, []int64{3, 4}, "weights.onnx", 0, 48).
		Node("MatMul", []string{"x", "w"}, []string{"y"}).
		Output("y")
	custom := modeltest.New(17).Opset("custom", 1).
		Input("x", onnxgraph.Float, 2, 2).
		Node("Mystery", []string{"x"}, []string{"y"}, modeltest.Domain("custom")).
		Output("y")
	return map[string][]byte{
		"custom.onnx":   custom.Bytes(),
		"external.onnx": external.Bytes(), "external.bin": make([]byte, 48),
		"linear.onnx": linear.Bytes(), "broken.onnx": broken.Bytes(),
		"unknown.onnx": unknown.Bytes(), "reshape.onnx": reshape.Bytes(),
	}
}
