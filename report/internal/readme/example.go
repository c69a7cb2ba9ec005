package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// exampleArgs report on a small convolutional network with its weights.
var exampleArgs = []string{"report", "--train", "--top", "3", "testdata/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", "--input-shapes", "x:32x3x48x192"}

// example runs the program, and shows the command above its output.
func example(testdata string) (string, error) {
	run := exec.Command("go", append([]string{"run", "./cmd/onnxmem"}, exampleArgs...)...)
	run.Dir, run.Stderr = filepath.Dir(testdata), os.Stderr
	out, err := run.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", run, err)
	}
	command := "$ onnxmem " + strings.Replace(strings.Join(exampleArgs, " "), " --input-shapes", " \\\n      --input-shapes", 1)
	return "```\n" + command + "\n" + string(bytes.TrimRight(out, "\n")) + "\n```\n", nil
}
