package onnxgraph

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A folder opens data files beside a model on disk.
type folder struct {
	dir   string
	model string // path of the model file
}

// OpenData opens a data file, if it is a regular file in the model's folder.
// Symbolic links may lead to a file in that folder, or in the folder to which
// the model's own link leads (the cache of the Hugging Face hub is made of
// such links); a link to anywhere else is refused, as in ONNX Runtime.
func (f folder) OpenData(location string) (DataFile, error) {
	name := filepath.FromSlash(location)
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%q is not a path inside the model's folder", location)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(f.dir, name))
	if err != nil {
		return nil, err
	}
	if !f.holds(real) {
		return nil, fmt.Errorf("%q is a symbolic link that leaves the model's folder", location)
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for a writer
		return nil, fmt.Errorf("%q: %w", location, notRegular(info.Mode()))
	}
	file, err := os.Open(real)
	if err != nil {
		return nil, err
	}
	return diskFile{File: file, size: info.Size()}, nil
}

// holds reports whether a path without links lies in the model's folder, or in
// the folder of the file that the model's link leads to.
func (f folder) holds(path string) bool {
	dir, err := filepath.EvalSymlinks(f.dir)
	if err == nil && inside(dir, path) {
		return true
	}
	model, err := filepath.EvalSymlinks(f.model)
	return err == nil && inside(filepath.Dir(model), path)
}

// inside reports whether path lies in dir; neither may hold links.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) && !filepath.IsAbs(rel)
}

// notRegular names what a path leads to that is no file.
func notRegular(mode fs.FileMode) error {
	what := "is not a regular file"
	switch {
	case mode.IsDir():
		return &NotONNXError{Kind: KindFolder}
	case mode&fs.ModeNamedPipe != 0:
		what = "is a pipe, not a file"
	case mode&fs.ModeDevice != 0:
		what = "is a device, not a file"
	case mode&fs.ModeSocket != 0:
		what = "is a socket, not a file"
	}
	return fmt.Errorf("%s", what)
}

// A diskFile is a file on disk and its size when it was opened.
type diskFile struct {
	*os.File
	size int64
}

func (f diskFile) Size() int64 { return f.size }
