package main

import (
	"strings"
	"testing"

	"onnxmem/report"
)

// TestBugsOfTheProgram holds that a bug ends in exit code 2 and a message that
// names the part and asks for a report of it.
func TestBugsOfTheProgram(t *testing.T) {
	err := guarded("the format csv", func() error { panic("no column") })
	if exitCode(err) != exitUnreadable || !strings.HasPrefix(err.Error(), "internal error in the format csv, please report it: no column") {
		t.Errorf("exit %d: %v", exitCode(err), err)
	}
	if err := guarded("nothing", func() error { return nil }); err != nil {
		t.Errorf("no bug: %v", err)
	}
	if err := guarded("an error", func() error { return usagef("no") }); exitCode(err) != exitUsage {
		t.Errorf("an error keeps its code: %v", err)
	}
	err = partly("m.onnx", []report.Diagnostic{{Code: "internal", Severity: "error", Message: "internal error in training, please report it"}})
	if exitCode(err) != exitUnreadable || !strings.HasPrefix(err.Error(), "m.onnx: internal error in training") {
		t.Errorf("exit %d: %v", exitCode(err), err)
	}
	if partly("m.onnx", nil) != nil {
		t.Error("nothing is missing")
	}
}
