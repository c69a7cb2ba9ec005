package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

// A folderState is what a folder holds, to tell that nothing changed.
type folderState map[string]string

func stateOf(t *testing.T, folder string) folderState {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	s := folderState{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		s[e.Name()] = string(data)
	}
	return s
}

// refuses runs the program, which must refuse its output as wrong usage, say
// why in one line, and change nothing in the folder.
func refuses(t *testing.T, folder string, stdin io.Reader, why string, args ...string) {
	t.Helper()
	before := stateOf(t, folder)
	var stdout, stderr bytes.Buffer
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	code := run(args, stdin, &stdout, &stderr)
	if code != exitUsage || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), why) {
		t.Errorf("%q: code %d, output %q, errors %q", args, code, stdout.String(), stderr.String())
	}
	after := stateOf(t, folder)
	for name, data := range before {
		if after[name] != data {
			t.Errorf("%q: %s was overwritten", args, name)
		}
		delete(after, name)
	}
	for name := range after {
		t.Errorf("%q: made %s", args, name)
	}
}

func writeTestFile(t *testing.T, data []byte, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func small() *modeltest.Builder {
	return modeltest.New(17).Input("x", onnxgraph.Float, 2).Node("Relu", []string{"x"}, []string{"y"}).Output("y")
}

// Weights beside the model are not overwritten, wherever the tensor is that
// names them, under whatever name of the file.
func TestWeightsAreNotOverwritten(t *testing.T) {
	tensors := map[string]modeltest.Tensor{
		"external": modeltest.ExternalTensor("w", onnxgraph.Float, []int64{1}, "w.onnx", 0, 4),
		"unmarked": modeltest.UnmarkedExternalTensor("w", onnxgraph.Float, []int64{1}, "w.onnx"),
	}
	for _, home := range modeltest.Homes() {
		for kind, tensor := range tensors {
			t.Run(home.Name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				model := writeTestFile(t, home.Model(tensor).Bytes(), folder, "m.onnx")
				weights := writeTestFile(t, make([]byte, 4), folder, "w.onnx")
				linked := filepath.Join(folder, "hard.json")
				if err := os.Link(weights, linked); err != nil {
					t.Skip(err)
				}
				for _, output := range []string{weights, linked} {
					refuses(t, folder, nil, "holds weights of", "report", "--format", "json", model, "-o", output)
					refuses(t, folder, nil, "holds weights of", "shapes", model, "-o", output)
				}
			})
		}
	}
}

// Locations that leave the folder, and are not read for that, may be weights
// all the same.
func TestWeightsElsewhereAreNotOverwritten(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "model"), 0o700); err != nil {
		t.Fatal(err)
	}
	weights := writeTestFile(t, make([]byte, 4), folder, "w.bin")
	for _, location := range []string{"../w.bin", weights} {
		if filepath.IsAbs(location) && filepath.VolumeName(location) != "" {
			continue
		}
		model := writeTestFile(t, small().InitExternal("w", onnxgraph.Float, []int64{1}, location, 0, 4).Bytes(), folder, "model", "m.onnx")
		var stderr bytes.Buffer
		if code := run([]string{"report", model, "-o", weights}, nil, io.Discard, &stderr); code != exitUsage {
			t.Errorf("%s: code %d, %s", location, code, stderr.String())
		}
		if data, err := os.ReadFile(weights); err != nil || len(data) != 4 {
			t.Errorf("%s: overwritten", location)
		}
	}
}

// No model of the command line is overwritten, whichever place it has and
// whatever becomes of the others.
func TestModelsAreNotOverwritten(t *testing.T) {
	folder := t.TempDir()
	a := writeTestFile(t, small().Bytes(), folder, "a.onnx")
	b := writeTestFile(t, small().InitExternal("w", onnxgraph.Float, []int64{1}, "w.bin", 0, 4).Bytes(), folder, "b.onnx")
	weights := writeTestFile(t, make([]byte, 4), folder, "w.bin")
	broken := writeTestFile(t, []byte("no model"), folder, "broken.onnx")
	hard := filepath.Join(folder, "hard.json")
	if err := os.Link(b, hard); err != nil {
		t.Skip(err)
	}
	soft := filepath.Join(folder, "soft.json")
	if err := os.Symlink("hard.json", soft); err != nil {
		t.Skip(err)
	}
	missing := filepath.Join(folder, "missing.onnx")
	for _, output := range []string{b, hard, soft, filepath.Join(folder, ".", "b.onnx")} {
		refuses(t, folder, nil, "is the model itself", "report", a, b, "-o", output)
		refuses(t, folder, nil, "is the model itself", "report", broken, missing, b, "-o", output)
		refuses(t, folder, nil, "is the model itself", "shapes", b, "-o", output)
	}
	refuses(t, folder, nil, "is the model itself", "report", a, broken, "-o", broken)
	refuses(t, folder, nil, "is the model itself", "shapes", broken, "-o", broken)
	refuses(t, folder, nil, "holds weights", "report", a, broken, b, "-o", weights)
}

// Standard input may be a file, and so may standard output.
func TestStandardInputIsNotOverwritten(t *testing.T) {
	folder := t.TempDir()
	model := writeTestFile(t, small().Bytes(), folder, "m.onnx")
	for _, args := range [][]string{
		{"shapes", "-", "-o", model}, {"shapes", "-", "-o", model, "--format", "json"}, {"report", "-", "-o", model}, {"report", "--format", "csv", "missing.onnx", "-", "-o", model},
	} {
		stdin, err := os.Open(model)
		if err != nil {
			t.Fatal(err)
		}
		refuses(t, folder, stdin, "on standard input", args...)
		stdin.Close()
	}
}

func TestStandardOutputIsNoInput(t *testing.T) {
	folder := t.TempDir()
	model := writeTestFile(t, small().InitExternal("w", onnxgraph.Float, []int64{1}, "w.bin", 0, 4).Bytes(), folder, "m.onnx")
	weights := writeTestFile(t, make([]byte, 4), folder, "w.bin")
	before := stateOf(t, folder)
	for _, output := range []string{model, weights} {
		for _, args := range [][]string{{"report", model}, {"shapes", model}, {"shapes", model, "-o", filepath.Join(folder, "new.onnx"), "--format", "table"}, {"fit", "--budget", "8GB", model}} {
			stdout, err := os.OpenFile(output, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			if code := run(args, nil, stdout, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "standard output") {
				t.Errorf("%q: code %d, %s", args, code, stderr.String())
			}
			stdout.Close()
		}
	}
	if after := stateOf(t, folder); len(after) != len(before) || after["m.onnx"] != before["m.onnx"] || after["w.bin"] != before["w.bin"] {
		t.Errorf("the folder changed")
	}
}

// What a flag names is read as well.
func TestFilesOfFlagsAreNotOverwritten(t *testing.T) {
	folder := t.TempDir()
	model := writeTestFile(t, small().Bytes(), folder, "m.onnx")
	baseline := writeTestFile(t, []byte("{}"), folder, "old.json")
	array := writeTestFile(t, []byte("array"), folder, "x.npy")
	proto := writeTestFile(t, []byte("proto"), folder, "x.pb")
	refuses(t, folder, nil, "the file of --baseline", "report", model, "--baseline", baseline, "-o", baseline)
	refuses(t, folder, nil, "the file of --feed", "report", model, "--feed", "x="+array, "-o", array)
	refuses(t, folder, nil, "the file of --feed", "shapes", model, "--feed", "x=[1,2]", "--feed", "x="+proto, "-o", proto)
}

// A file that the run does not read is replaced, of course.
func TestOtherFilesAreOverwritten(t *testing.T) {
	folder := t.TempDir()
	model := writeTestFile(t, small().Bytes(), folder, "m.onnx")
	for _, args := range [][]string{{"report", model}, {"report", model, model}, {"shapes", model}} {
		old := writeTestFile(t, []byte("old"), folder, "out.csv")
		var stderr bytes.Buffer
		if code := run(append(args, "-o", old), nil, io.Discard, &stderr); code != exitOK {
			t.Errorf("%q: code %d, %s", args, code, stderr.String())
		}
		if data, err := os.ReadFile(old); err != nil || string(data) == "old" || len(data) == 0 {
			t.Errorf("%q: %q is left", args, data)
		}
	}
}
