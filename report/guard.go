package report

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"onnxmem/report/finding"
	"onnxmem/shapeinfer"
)

// internalCode is the code of diagnostics that tell of a bug in this program.
const internalCode = string(finding.Internal)

// An InternalError is a bug in this program that one section of a result ran
// into.
type InternalError struct {
	Section string
	Value   any    // what the code panicked with
	Where   string // the function and line of the code that did
}

// Error implements error.
func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error in %s, please report it: %v (%s)", e.Section, e.Value, e.Where)
}

// Guard computes a section of a result. The error, if there is one, is an
// [*InternalError]: the section ran into a bug, and what it filled so far means
// nothing.
func Guard(section string, compute func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &InternalError{section, v, panicked()}
		}
	}()
	compute()
	return nil
}

// panicked says which function of this program a panic comes from, for a
// function that recovers from it.
func panicked() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
	thrown := false
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "runtime.") {
			thrown = thrown || f.Function == "runtime.gopanic"
		} else if thrown {
			return fmt.Sprintf("%s, %s:%d", path.Base(f.Function), filepath.Base(f.File), f.Line)
		}
		if !more {
			return "place unknown"
		}
	}
}

// keepGoing computes something that nothing can be said without. A bug there is
// an error, or panics where Options.PanicOnBug asks for it.
func (o *Options) keepGoing(section string, compute func()) error {
	if o.PanicOnBug {
		compute()
		return nil
	}
	return Guard(section, compute)
}

// section computes one section of a report. A bug there becomes a diagnostic, and
// without, unless it is nil, takes back what the section filled. It reports
// whether the section is complete.
func (a *Analysis) section(r *Result, name string, fill func(), without func(bug finding.Finding)) bool {
	return r.complete(a.opts.keepGoing(name, fill), without)
}

// complete notes the bug that a section ran into, if it is not nil, and reports
// whether there was none.
func (r *Result) complete(bug error, without func(bug finding.Finding)) bool {
	if bug == nil {
		return true
	}
	r.Diagnostics = append(r.Diagnostics, internalDiagnostic(bug))
	if without != nil {
		f := finding.New(finding.Internal)
		f.Detail = bug.Error()
		without(f)
	}
	return false
}

// An answer is something that is computed while the report goes on.
type answer[T any] struct {
	opts *Options
	done chan struct{}
	got  T
	bug  error
}

// begin computes something beside the sections that follow. It must not change
// what they read.
func begin[T any](opts *Options, section string, compute func() T) *answer[T] {
	x := &answer[T]{opts: opts, done: make(chan struct{}, 1)}
	go func() {
		x.bug = Guard(section, func() { x.got = compute() })
		x.done <- struct{}{}
	}()
	return x
}

// wait returns the answer, or the bug that kept it from being found.
func (x *answer[T]) wait() (got T, bug error) {
	<-x.done
	if x.bug != nil && x.opts.PanicOnBug {
		panic(x.bug)
	}
	return x.got, x.bug
}

func internalDiagnostic(err error) Diagnostic {
	return Diagnostic{Code: internalCode, Severity: string(shapeinfer.Error), Message: err.Error()}
}

// InternalErrors are the diagnostics that tell of bugs in this program: what
// they stand for is missing from the report.
func (r *Result) InternalErrors() []Diagnostic { return internalErrors(r.Diagnostics) }

// InternalErrors is [Result.InternalErrors] for a fit.
func (f *FitResult) InternalErrors() []Diagnostic { return internalErrors(f.Diagnostics) }

// InternalErrors is [Result.InternalErrors] for a list of types.
func (s *ShapesResult) InternalErrors() []Diagnostic { return internalErrors(s.Diagnostics) }

func internalErrors(all []Diagnostic) []Diagnostic {
	var list []Diagnostic
	for _, d := range all {
		if d.Code == internalCode {
			list = append(list, d)
		}
	}
	return list
}
