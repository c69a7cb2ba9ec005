package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// replaceFile writes a file in full or not at all: beside its place, under
// another name that it loses at the end. The permissions of a file that was
// there stay, links are followed, and one that leads to nothing gets what it
// leads to. A file that is no regular one, such as a pipe, is written to.
func replaceFile(path string, write func(io.Writer) error) error {
	path, err := followLinks(path)
	if err != nil {
		return err
	}
	old, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return writeBeside(path, nil, write)
	case err != nil:
		return err
	case old.IsDir():
		return errors.New("it is a folder")
	}
	// Opening tells whether the file may be written to, which its folder, in
	// which it is replaced, does not.
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if !old.Mode().IsRegular() {
		return writeAndClose(f, write)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return writeBeside(path, old, write)
}

// writeBeside makes the file under another name in the same folder, and then
// renames it to path, where old is, unless that is nil. What is unfinished is removed, also when a signal ends
// the program.
func writeBeside(path string, old fs.FileInfo, write func(io.Writer) error) error {
	mode := fs.FileMode(0o666) // but for the umask, as for any file that a program makes
	if old != nil {
		mode = old.Mode().Perm()
	}
	signals := catchSignals()
	defer signals.stop()
	f, err := signals.making(func() (*os.File, error) { return createBeside(path, mode) })
	if err != nil {
		return err
	}
	finished := false
	defer func() { // also when write panics
		if !finished {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if old != nil {
		if err := keepMode(f, mode); err != nil {
			return err
		}
	}
	if err := writeAndClose(f, write); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	finished = true
	return nil
}

// keepMode gives f the permissions that a file had before, which the umask may
// have narrowed.
func keepMode(f *os.File, mode fs.FileMode) error {
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() == mode {
		return err
	}
	return f.Chmod(mode)
}

// createBeside makes a new file in the folder of path. Unlike os.CreateTemp it
// lets the caller choose the permissions. Its name does not grow with that of
// path, which may already be the longest that is allowed.
func createBeside(path string, mode fs.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".onnxmem-%08x.tmp", rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if try < 100 && errors.Is(err, fs.ErrExist) {
			continue
		}
		return f, err
	}
}

// maxLinks is how many links may lead to each other, as on Linux.
const maxLinks = 40

// followLinks is the path without links that a path leads to, whether there is
// a file or not. The folder's path is resolved as it is written, since .. after
// a link is not the folder that holds the link. What is no regular file keeps
// its path, as the ends of pipes in /proc have no other.
func followLinks(path string) (string, error) {
	for range maxLinks {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return path, nil
		}
		folder, name := filepath.Split(path)
		folder, err := filepath.EvalSymlinks(cmp.Or(folder, "."))
		if err != nil {
			return "", err
		}
		path = filepath.Join(folder, name)
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // it is no link, so the path is what it leads to
		}
		if !filepath.IsAbs(target) {
			target = folder + string(filepath.Separator) + target
		}
		path = target
	}
	return "", errors.New("too many symbolic links")
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

// errNoSuchFile says of a path that nothing is there.
var errNoSuchFile = errors.New("no such file")

// reasonOf is what the system said, without the path that it said it of: the
// path may be that of a file that is gone, and a message names the file anyhow.
func reasonOf(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path) && errors.Is(path.Err, fs.ErrNotExist):
		return errNoSuchFile
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
