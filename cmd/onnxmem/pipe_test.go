//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"onnxmem/onnxgraph"
)

func makePipe(t *testing.T, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	return name
}

// A pipe that is given as a model, as <(...) of a shell is, is read once, also
// where the output has to be compared with its external data.
func TestModelInPipe(t *testing.T) {
	for _, args := range [][]string{{"report"}, {"report", "--format", "json", "--digest"}, {"shapes"}, {"fit", "--budget", "8GB"}, {"report", "-o", "OLD"}, {"shapes", "-o", "OLD"}} {
		folder := t.TempDir()
		pipe := makePipe(t, folder, "pipe")
		go os.WriteFile(pipe, scriptModels()["linear.onnx"], 0)
		old := writeTestFile(t, []byte("old"), folder, "old.csv")
		for i := range args {
			args[i] = strings.Replace(args[i], "OLD", old, 1)
		}
		o := runOn(nil, append(args, pipe)...)
		if o.code != exitOK {
			t.Errorf("%q: code %d, %s", args, o.code, o.stderr)
		}
	}
}

// Anywhere else a pipe is refused rather than waited for, and so is a device.
func TestPipesElsewhere(t *testing.T) {
	folder := t.TempDir()
	model := writeTestFile(t, small().InitExternal("w", onnxgraph.Float, []int64{8192}, "w.bin", 0, 32768).
		InitExternal("v", onnxgraph.Float, []int64{8192}, "w.bin", 0, 32768).Bytes(), folder, "m.onnx")
	makePipe(t, folder, "w.bin")
	for _, args := range [][]string{{"report", model}, {"report", "--train", model}, {"shapes", model}} {
		if o := runOn(nil, args...); o.code == -1 {
			t.Errorf("%q: %s", args, o.stderr)
		}
	}
	pipe := makePipe(t, folder, "x.npy")
	proto := makePipe(t, folder, "x.pb")
	for _, args := range [][]string{
		{"--baseline", pipe}, {"--feed", "x=" + pipe}, {"--feed", "x=" + proto}, {"--baseline", "/dev/zero"}, {"--baseline", folder}, {"--baseline", pipe, "-o", filepath.Join(folder, "new.json")},
	} {
		args = append([]string{"report", model}, args...)
		o := runOn(nil, args...)
		if o.code != exitUnreadable || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, args[2]) {
			t.Errorf("%q: code %d, %q", args, o.code, o.stderr)
		}
	}
	for _, path := range []string{folder, "/dev/zero", "/dev/null", writeTestFile(t, nil, folder, "empty.onnx")} {
		for _, command := range [][]string{{"report"}, {"shapes"}, {"fit", "--budget", "8GB"}} {
			var stdout, stderr bytes.Buffer
			code := run(append(command, path), nil, &stdout, &stderr)
			if code != exitUnreadable || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), path) {
				t.Errorf("%q %s: code %d, %q, %q", command, path, code, stdout.String(), stderr.String())
			}
		}
	}
}
