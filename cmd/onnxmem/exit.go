package main

import (
	"errors"
	"fmt"
)

// The exit codes, the same for every command.
const (
	exitOK         = 0 // done, and within the limits
	exitFindings   = 1 // a limit, a finding, or a diagnostic of severity error
	exitUnreadable = 2 // a file could not be read, or only in part, or the output not be written
	exitNoModel    = 3 // no model found
	exitUsage      = 4 // wrong usage
	// exitSignal plus its number, 130 or 143, follows a signal while a file is
	// being written, which is removed.
	exitSignal = 128
)

// An exitError ends the program with a code. An empty message prints nothing:
// everything was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func exitWith(code int, err error) error { return &exitError{code, err} }

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// exitCode is the code for an error that a command returns. Whatever has no
// code of its own comes from the flag parser.
func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	}
	return exitUsage
}
