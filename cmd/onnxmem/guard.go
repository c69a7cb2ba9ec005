package main

import (
	"fmt"

	"onnxmem/report"
)

// This file tells of bugs of this program, which never keep it from saying what
// it does know.

// guarded runs a part of a command. A bug in it is an error with exitUnreadable.
func guarded(part string, run func() error) error {
	var err error
	if bug := report.Guard(part, func() { err = run() }); bug != nil {
		return exitWith(exitUnreadable, bug)
	}
	return err
}

// partly is the outcome of a command whose result lacks the sections that the
// diagnostics name; nil where it lacks none.
func partly(path string, bugs []report.Diagnostic) error {
	if len(bugs) == 0 {
		return nil
	}
	return exitWith(exitUnreadable, fmt.Errorf("%s: %s", path, bugs[0].Message))
}
