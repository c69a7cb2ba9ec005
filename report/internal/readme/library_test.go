package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onnxmem/testdata/corpus"
)

// This file holds the README's section on the library against the examples of
// the packages, and tries it from another module.

// A codeExample is the body of an Example function, as it is written.
type codeExample struct {
	body, output string
	imports      []string
}

// examples are those of the packages that the section shows.
func examples(t *testing.T, root string) map[string]codeExample {
	t.Helper()
	all := map[string]codeExample{}
	for _, folder := range []string{"onnxgraph", "shapeinfer", "report"} {
		file := filepath.Join(root, folder, "example_test.go")
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range doc.Examples(f) {
			fn := exampleFunction(f, "Example"+x.Name)
			body := string(source[fset.Position(fn.Body.Lbrace).Offset+1 : fset.Position(fn.Body.Rbrace).Offset])
			body, _, _ = strings.Cut(body, "\n\t// Output:")
			all[folder+"."+x.Name] = codeExample{dedent(body), x.Output, importsOf(f, body)}
		}
	}
	return all
}

func exampleFunction(f *ast.File, name string) *ast.FuncDecl {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name {
			return fn
		}
	}
	return nil
}

// importsOf are the packages of a file that a body names.
func importsOf(f *ast.File, body string) (list []string) {
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil && strings.Contains(body, path.Base(p)+".") {
			list = append(list, p)
		}
	}
	return list
}

func dedent(body string) string {
	return strings.TrimSpace(regexp.MustCompile(`(?m)^\t`).ReplaceAllString(body, ""))
}

// librarySnippets are the pieces of code in the README's section.
func librarySnippets(t *testing.T, root string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## As a library\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var list []string
	open := false
	for line := range strings.Lines(section) {
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case indented && open:
			list[len(list)-1] += code
		case indented:
			list = append(list, code)
		}
		open = indented
	}
	return list
}

// TestLibrarySnippetsAreExamples: what the README shows is an example word for
// word, which go test runs.
func TestLibrarySnippetsAreExamples(t *testing.T) {
	root := filepath.Dir(corpus.Root(t))
	bodies := map[string]bool{}
	for _, x := range examples(t, root) {
		bodies[x.body] = true
	}
	shown := 0
	for _, s := range librarySnippets(t, root) {
		if strings.HasPrefix(s, "require ") {
			continue
		}
		shown++
		if !bodies[strings.TrimSpace(s)] {
			t.Errorf("no example is:\n%s", s)
		}
	}
	if shown < 4 {
		t.Errorf("only %d snippets found", shown)
	}
}

// TestLibraryFromAnotherModule builds a module that uses this one as the README
// says, with what the README shows, and runs it.
func TestLibraryFromAnotherModule(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not at hand")
	}
	root := filepath.Dir(corpus.Root(t))
	byBody := map[string]codeExample{}
	for _, x := range examples(t, root) {
		byBody[x.body] = x
	}
	var module, functions, calls, want string
	imports := map[string]bool{}
	for i, s := range librarySnippets(t, root) {
		if strings.HasPrefix(s, "require ") {
			// The path of this copy in place of the one beside: packages that are
			// compiled already are not compiled again.
			module = strings.Replace(s, "../onnxmem", filepath.ToSlash(root), 1)
			continue
		}
		x := byBody[strings.TrimSpace(s)]
		functions += fmt.Sprintf("func snippet%d() {\n%s}\n\n", i, s)
		calls += fmt.Sprintf("\tsnippet%d()\n", i)
		want += x.output
		for _, p := range x.imports {
			imports[p] = true
		}
	}
	source := "package main\n\nimport (\n"
	for _, p := range slices.Sorted(maps.Keys(imports)) {
		source += fmt.Sprintf("\t%q\n", p)
	}
	source += ")\n\nfunc main() {\n" + calls + "}\n\n" + functions

	folder := t.TempDir()
	model, err := os.ReadFile(filepath.Join(root, "report", "testdata", "model.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"go.mod": "module other\n\ngo 1.26\n\n" + module, "main.go": source, "testdata/model.onnx": string(model),
	} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(folder, "program.exe")
	goTool(t, folder, "build", "-o", program, ".")
	cmd := exec.Command(program)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("%v: printed\n%s\nwant\n%s", err, out, want)
	}
}

// goTool runs go without a network. The module cache has what this module needs,
// and so what one that uses it does.
func goTool(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "CGO_ENABLED=0")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
}
