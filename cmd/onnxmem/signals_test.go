//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A signal during writing removes the unfinished file and leaves the old one.
func TestSignalRemovesUnfinishedFile(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		folder := t.TempDir()
		output := writeTestFile(t, []byte("old"), folder, "out.json")
		cmd := exec.Command(program)
		cmd.Args = []string{"onnxmem", "report", "-", "-o", output} // TestMain makes this the program
		stdin, err := cmd.StdinPipe()                               // which never ends
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for len(unfinished(t, folder)) == 0 {
			time.Sleep(time.Millisecond)
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		stdin.Close()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want {
			t.Errorf("%v: %v, want code %d", s, err, want)
		}
		if left := stateOf(t, folder); len(left) != 1 || left["out.json"] != "old" {
			t.Errorf("%v: the folder holds %q", s, left)
		}
	}
}

func unfinished(t *testing.T, folder string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, ".onnxmem-*.tmp"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}
