package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
)

// This file knows every file that a run reads, so that none is lost: a command
// gets a place to write to only from here.

// stdinName is the model on standard input.
const stdinName = "-"

// inputs are the files that one run of a command reads, or may read.
type inputs struct {
	cmd    *cobra.Command
	models []string
	flags  []flagFile
	// streams are models that can be read once only, kept for the next time.
	streams map[string]*modelFile
	// ahead is a model that was opened before the command asked for it.
	ahead     *modelFile
	aheadPath string
	// accepted are the outputs that are none of the files.
	accepted map[string]bool
}

// A flagFile is a file that a flag names.
type flagFile struct{ flag, path string }

// newInputs lists the models and the files of flags of a run; flags that are
// not given have an empty path.
func newInputs(cmd *cobra.Command, models []string, flags ...flagFile) *inputs {
	in := &inputs{cmd: cmd, models: models, streams: map[string]*modelFile{}, accepted: map[string]bool{}}
	for _, f := range flags {
		if f.path != "" {
			in.flags = append(in.flags, f)
		}
	}
	return in
}

// refuse refuses an output, standard output where it is empty, that is one of
// the files of the run: a model under whatever name, a file of its external
// data, or a file that a flag names.
func (in *inputs) refuse(output string) error {
	if output == "-" {
		output = ""
	}
	if in.accepted[output] {
		return nil
	}
	place, ok := in.outputInfo(output)
	if ok {
		if err := in.compare(output, place); err != nil {
			return err
		}
	}
	in.accepted[output] = true
	return nil
}

// outputInfo is what is at an output now; ok is false where nothing could be
// lost.
func (in *inputs) outputInfo(output string) (info fs.FileInfo, ok bool) {
	var err error
	if output != "" {
		info, err = os.Stat(output)
	} else if file, isFile := in.cmd.OutOrStdout().(statter); isFile {
		info, err = file.Stat()
	} else {
		return nil, false
	}
	return info, err == nil && info.Mode()&(fs.ModeDir|fs.ModeDevice) == 0
}

// A statter is a file, or stands for one.
type statter interface {
	Stat() (fs.FileInfo, error)
}

func (in *inputs) compare(output string, place fs.FileInfo) error {
	called := "-o " + output
	if output == "" {
		called = "standard output"
	}
	for _, f := range in.flags {
		if isAt(f.path, place) {
			return usagef("%s is the file of --%s, which is never overwritten; choose another name", called, f.flag)
		}
	}
	for _, path := range in.models {
		switch {
		case path == stdinName && in.stdinIs(place):
			return usagef("%s is the model itself, on standard input, which is never overwritten; choose another name", called)
		case path != stdinName && isAt(path, place):
			return usagef("%s is the model itself, %s, which is never overwritten; choose another name", called, path)
		}
	}
	if !place.Mode().IsRegular() {
		return nil // and so no external data
	}
	for _, path := range in.models {
		for _, file := range in.dataFiles(path) {
			if isAt(file, place) {
				return usagef("%s holds weights of %s, which are never overwritten; choose another name", called, path)
			}
		}
	}
	return nil
}

// isAt reports whether path leads to the file whose description is place.
func isAt(path string, place fs.FileInfo) bool {
	info, err := os.Stat(path)
	return err == nil && os.SameFile(info, place)
}

func (in *inputs) stdinIs(place fs.FileInfo) bool {
	file, ok := in.cmd.InOrStdin().(statter)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && os.SameFile(info, place)
}

// dataFiles are the paths of the external data of a model, which is opened for
// it. One that cannot be read is told of when the command comes to it.
func (in *inputs) dataFiles(path string) []string {
	if path == stdinName {
		return nil // which has no folder
	}
	m, err := in.open(path)
	if err != nil {
		return nil
	}
	if len(in.models) == 1 {
		in.ahead, in.aheadPath = m, path
	} else {
		defer m.Close()
	}
	var files []string
	for _, location := range m.DataLocations() {
		files = append(files, locate(path, location))
	}
	return files
}

// locate is the path of external data, those included that are not read since
// they leave the model's folder: another program may read them.
func locate(model, location string) string {
	name := filepath.FromSlash(location)
	if filepath.IsAbs(name) && runtime.GOOS != "windows" { // there it may name another machine
		return name
	}
	return filepath.Join(filepath.Dir(model), name)
}

// writeOutput calls write with an output, standard output where it is empty or
// "-", unless it is one of the files of the run. A file appears when all is
// written, in the place of the one that was there. An error of write without an
// exit code is one of writing.
func (in *inputs) writeOutput(output string, write func(io.Writer) error) error {
	err := in.refuse(output)
	switch {
	case err != nil:
		return err
	case output == "" || output == "-":
		output, err = "standard output", bufferedly(in.cmd.OutOrStdout(), write)
	default:
		err = replaceFile(output, write)
	}
	var coded *exitError
	if err == nil || errors.As(err, &coded) {
		return err
	}
	return cannotWrite(output, err)
}

func bufferedly(w io.Writer, write func(io.Writer) error) error {
	out := bufio.NewWriter(w)
	if err := write(out); err != nil {
		out.Flush() // what there is: earlier models, for one
		return err
	}
	return out.Flush()
}

// cannotWrite says that an output could not be written.
func cannotWrite(output string, err error) error {
	return exitWith(exitUnreadable, fmt.Errorf("%s: cannot be written: %w", output, reasonOf(err)))
}
