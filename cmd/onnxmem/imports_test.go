package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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

// TestProgramModules lists the modules that a build of the program downloads.
func TestProgramModules(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("there is no go command here")
	}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(strings.Fields(string(out))))
	got = slices.DeleteFunc(slices.Compact(got), func(path string) bool {
		return path == "github.com/inconshreveable/mousetrap" // of cobra, on Windows alone
	})
	want := []string{
		"github.com/cpuguy83/go-md2man/v2",   // of cobra's manual pages
		"github.com/dustin/go-humanize",      // sizes
		"github.com/goccy/go-yaml",           // rules of operators
		"github.com/jedib0t/go-pretty/v6",    // tables
		"github.com/mattn/go-runewidth",      // of go-pretty
		"github.com/rivo/uniseg",             // of go-runewidth
		"github.com/russross/blackfriday/v2", // of go-md2man
		"github.com/spf13/cobra",
		"github.com/spf13/pflag",
		"go.yaml.in/yaml/v3",         // of cobra's manual pages
		"golang.org/x/text",          // of go-pretty
		"google.golang.org/protobuf", // the wire format
		"onnxmem",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the program needs the modules\n%q, want\n%q", got, want)
	}
}
