package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// replaceFile writes a file in full or not at all: beside its place, under
// another name that it loses at the end. A file that is no regular one, such as
// a pipe, is written to.
func replaceFile(path string, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link stays
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return writeAndClose(f, write)
	}
	f, err := createBeside(path)
	if err != nil {
		return err
	}
	err = writeAndClose(f, write)
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// createBeside makes a new file in the folder of path. Unlike os.CreateTemp it
// leaves the permissions to the umask, as for any file that a program writes.
func createBeside(path string) (*os.File, error) {
	for try := 0; ; try++ {
		name := fmt.Sprintf("%s.%08x.tmp", path, rand.Uint32())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if try < 100 && errors.Is(err, fs.ErrExist) {
			continue
		}
		return f, err
	}
}

func writeAndClose(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<16)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
