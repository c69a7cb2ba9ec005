package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func writeText(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// A file that is replaced keeps its permissions.
func TestReplaceFileKeepsTheMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such permissions")
	}
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o666, 0o755, 0o200} {
		path := filepath.Join(t.TempDir(), "out.json")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := replaceFile(path, writeText("new")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode || info.Size() != 3 {
			t.Errorf("%v: %v, %v", mode, info, err)
		}
	}
}

// A file that may not be written to is not replaced either.
func TestReplaceFileRespectsReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	if err := os.WriteFile(path, []byte("old"), 0o400); err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		f.Close()
		t.Skip("this user may write to everything")
	}
	if err := replaceFile(path, writeText("new")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
		t.Errorf("%q, %v", data, err)
	}
}

// Links stay, and what they lead to is written, made if it has to be.
func TestReplaceFileFollowsLinks(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	if err := os.MkdirAll(at("a/b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("there"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"to_file": "there", "to_link": "to_file", "dangling": "made", "to_dangling": "dangling", "absolute": at("made2"),
		"folder": "a/b", "up": "folder/../made3", "loop": "loop2", "loop2": "loop", "nowhere": "none/made",
	} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Skip(err)
		}
	}
	for link, file := range map[string]string{"to_file": "there", "to_link": "there", "to_dangling": "made", "absolute": "made2", "up": "a/made3"} {
		if err := replaceFile(at(link), writeText("new "+link)); err != nil {
			t.Errorf("%s: %v", link, err)
			continue
		}
		if info, err := os.Lstat(at(link)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", link)
		}
		if data, err := os.ReadFile(at(file)); err != nil || string(data) != "new "+link {
			t.Errorf("%s: %s holds %q, %v", link, file, data, err)
		}
	}
	for _, link := range []string{"loop", "nowhere"} {
		if err := replaceFile(at(link), writeText("new")); err == nil {
			t.Errorf("%s: no error", link)
		}
	}
}

// What fails leaves the old file and no other.
func TestReplaceFileInFullOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("half way")
	err := replaceFile(path, func(w io.Writer) error {
		w.Write(make([]byte, 1<<20))
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() { recover() }()
		replaceFile(path, func(io.Writer) error { panic("a bug") })
	}()
	if s := stateOf(t, folder); len(s) != 1 || s["out.json"] != "old" {
		t.Errorf("the folder holds %q", s)
	}
	if err := replaceFile(folder, writeText("new")); err == nil {
		t.Error("a folder was replaced")
	}
	longest := filepath.Join(folder, strings.Repeat("n", 250)+".json")
	if err := replaceFile(longest, writeText("new")); err != nil {
		t.Error(err)
	}
}

// A device that is full fails every command with one line, as -o and as
// standard output.
func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	folder := t.TempDir()
	model := writeTestFile(t, small().Bytes(), folder, "m.onnx")
	dynamic := writeTestFile(t, scriptModels()["linear.onnx"], folder, "d.onnx")
	broken := writeTestFile(t, scriptModels()["broken.onnx"], folder, "broken.onnx")
	check := func(code int, stderr string, args []string) {
		if code != exitUnreadable || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "cannot be written") {
			t.Errorf("%q: code %d, %q", args, code, stderr)
		}
	}
	for _, args := range [][]string{
		{"version"}, {"version", "--format", "json"}, {"--version"}, {"ops"}, {"ops", "--format", "json"}, {"man"}, {"man", "report"},
		{"help"}, {"--help"}, {"help", "report"}, {"report", "--help"}, {}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"},
		{"completion", "powershell"}, {"completion", "--help"},
		{model}, {"report", model, model}, {"report", broken}, {"report", "--max-weights", "1B", dynamic, model, broken}, {"report", "--format", "json", model},
		{"report", "--format", "csv", model}, {"report", "--format", "md", model}, {"report", "--format", "html", model}, {"shapes", model},
		{"shapes", "--format", "json", model}, {"shapes", model, "-o", "-"}, {"fit", "--budget", "8GB", dynamic}, {"fit", "--budget", "8GB", "--format", "json", dynamic},
	} {
		var stderr bytes.Buffer
		check(run(args, nil, full, &stderr), stderr.String(), args)
	}
	for _, args := range [][]string{{"report", model}, {"report", model, model}, {"shapes", model}} {
		args = append(args, "-o", "/dev/full")
		var stdout, stderr bytes.Buffer
		check(run(args, nil, &stdout, &stderr), stderr.String(), args)
	}
}
