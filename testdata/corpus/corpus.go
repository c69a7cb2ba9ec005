// Package corpus reads the recorded truth in the repository's testdata folder:
// small models and whole graphs, with what other programs found out about
// them. Its types follow testdata/README.md, which says where each record
// comes from and under which licence.
//
// Tests use the functions that take a [testing.TB]; programs that print tables
// from the records use the Read functions with a root from [FindRoot].
package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Later is the folder, below the root, of models that were recorded after the
// estimates had been made with the others: a zoo and training records of the
// same form. ReadZoo and ReadTraining read it as a root of its own.
const Later = "later"

// ErrNoRoot says that no folder above the working directory is the repository.
var ErrNoRoot = errors.New("corpus: no go.mod beside a testdata folder above the working directory")

// FindRoot returns the repository's testdata folder: the one beside the
// nearest go.mod above the working directory that has such a folder with a
// conformance folder in it. Packages may have testdata folders of their own.
func FindRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("corpus: %w", err)
	}
	for {
		root := filepath.Join(dir, "testdata")
		if isFile(filepath.Join(dir, "go.mod")) && isFile(filepath.Join(root, "conformance", "node", "manifest.jsonl")) {
			return root, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ErrNoRoot
		}
		dir = parent
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Root is [FindRoot] for tests.
func Root(t testing.TB) string {
	t.Helper()
	root, err := FindRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Path is the path of a file in testdata, such as Path(t, "models", "skl_mlp.onnx").
func Path(t testing.TB, elements ...string) string {
	t.Helper()
	return filepath.Join(append([]string{Root(t)}, elements...)...)
}

// fromRoot runs read on the repository's testdata and fails the test on error.
func fromRoot[T any](t testing.TB, read func(root string) (T, error)) T {
	t.Helper()
	v, err := read(Root(t))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// decode parses a record strictly: a field that no struct knows is an error,
// lest a part of the truth goes unread.
func decode(data []byte, into any) error {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// readRecords decodes the .json files of one folder of an archive, by name
// without the suffix, in the archive's order.
func readRecords[T any](archive fs.FS, folder string, each func(name string, record T) error) error {
	files, err := fs.Glob(archive, strings.TrimPrefix(folder+"/*.json", "/"))
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := fs.ReadFile(archive, file)
		if err != nil {
			return err
		}
		var record T
		if err := decode(data, &record); err != nil {
			return fmt.Errorf("corpus: %s: %w", file, err)
		}
		name := strings.TrimSuffix(file[strings.LastIndex(file, "/")+1:], ".json")
		if err := each(name, record); err != nil {
			return err
		}
	}
	return nil
}
