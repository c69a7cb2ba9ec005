package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// module is the path of this module.
const module = "onnxmem/"

// layers is the way that data flows: a package may import its own layer and
// those before it, never one after it.
var layers = []string{"onnxgraph", "shapeinfer", "report", "cmd"}

const (
	onnxGo      = "github.com/owulveryck/onnx-go"
	onnxGoTaker = "onnxgraph/onnxgo"
	// generated is the protobuf code that tests compare the reader with.
	generated = "onnxgraph/internal/onnxpb"
)

// TestImportsFlowOneWay reads the imports of every Go file of the module, for
// all platforms and build tags. Test files may import to the right.
func TestImportsFlowOneWay(t *testing.T) {
	for file, imports := range importsOf(t) {
		dir := filepath.ToSlash(filepath.Dir(file))
		isTest := strings.HasSuffix(file, "_test.go")
		for _, path := range imports {
			if ours, ok := strings.CutPrefix(path, module); ok && !isTest && layer(ours) > layer(dir) {
				t.Errorf("%s imports %s, which is to its right", file, path)
			}
			if inTree(path, onnxGo) && dir != onnxGoTaker {
				t.Errorf("%s imports %s, which only %s may", file, path, onnxGoTaker)
			}
			if path == module+generated && !isTest {
				t.Errorf("%s imports generated protobuf code, which is for tests", file)
			}
		}
	}
}

// layer is the position of a package's top folder among layers, -1 for others.
func layer(dir string) int {
	top, _, _ := strings.Cut(dir, "/")
	for i, name := range layers {
		if top == name {
			return i
		}
	}
	return -1
}

// inTree reports whether path is the package root or one below it.
func inTree(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}

// importsOf parses the imports of the module's Go files by path relative to
// its root. Nested modules are left out: they are not part of this one.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	found := map[string][]string{}
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skipDir(path, rel)
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(files, path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			found[rel] = append(found[rel], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 50 {
		t.Fatalf("only %d Go files below %s", len(found), root)
	}
	return found
}

// skipDir leaves out hidden folders, test data and nested modules.
func skipDir(path, rel string) error {
	if rel == "." {
		return nil
	}
	name := filepath.Base(rel)
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	if name == "testdata" || strings.HasPrefix(name, ".") || err == nil {
		return filepath.SkipDir
	}
	return nil
}

// TestProgramLinks asks the go command what the program is made of. Of
// protobuf it needs the wire format alone.
func TestProgramLinks(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("there is no go command here")
	}
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	seen := map[string]bool{}
	for _, path := range deps {
		seen[path] = true
		for _, forbidden := range []string{
			onnxGo,
			"gorgonia.org/tensor",
			module + onnxGoTaker,
			module + generated,
			module + "onnxgraph/modeltest",
			module + "testdata",
			"google.golang.org/protobuf/proto",
			"google.golang.org/protobuf/reflect",
			"google.golang.org/protobuf/runtime",
			"github.com/gogo/protobuf",
			"github.com/golang/protobuf",
		} {
			if inTree(path, forbidden) {
				t.Errorf("the program links %s", path)
			}
		}
	}
	// The rules above would hold of an empty list, too.
	for _, part := range []string{module + "onnxgraph", module + "shapeinfer"} {
		if !seen[part] {
			t.Errorf("the program does not link %s, so the list of %d packages is not its own", part, len(deps))
		}
	}
}
