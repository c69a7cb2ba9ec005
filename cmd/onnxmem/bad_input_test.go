package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/cost"
)

// What one run on a bad file of some kilobytes may cost.
var maxRun = cost.Cost{Processor: time.Second, Allocated: 64 << 20}

// An outcome is all that one run of the program leaves.
type outcome struct {
	code           int
	stdout, stderr string
	cost           cost.Cost
}

// runOn runs the program in this process. A panic is an outcome of code -1.
func runOn(stdin []byte, args ...string) (o outcome) {
	defer func() {
		if r := recover(); r != nil {
			o.code, o.stderr = -1, fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	var stdout, stderr bytes.Buffer
	o.cost = cost.Of(func() { o.code = run(args, bytes.NewReader(stdin), &stdout, &stderr) })
	o.stdout, o.stderr = stdout.String(), stderr.String()
	return o
}

// where finds what an error line names besides the file: a byte offset, a node,
// a tensor, or that the file as a whole is something else.
var where = regexp.MustCompile(`byte \d+|node|tensor|graph|the file (is|ends)|is empty|not an? `)

// check holds an outcome against the manual: which codes there are, that
// standard output is JSON in full or empty, that an error is one line with the
// file, where and what, and what a run may cost.
func (o outcome) check(t *testing.T, what, path string) {
	t.Helper()
	switch o.code {
	case exitOK, exitFindings:
		if !json.Valid([]byte(o.stdout)) {
			t.Errorf("%s: code %d with output that is no JSON: %.100q", what, o.code, o.stdout)
		}
	case exitUnreadable:
		line, rest, _ := strings.Cut(o.stderr, "\n")
		if rest != "" || !strings.HasPrefix(line, "onnxmem: ") || !strings.Contains(line, path) || !where.MatchString(line) {
			t.Errorf("%s: the error is %q", what, o.stderr)
		}
		if o.stdout != "" && !json.Valid([]byte(o.stdout)) {
			t.Errorf("%s: output that is no JSON: %.100q", what, o.stdout)
		}
	default:
		t.Errorf("%s: code %d, %s", what, o.code, o.stderr)
	}
	if o.cost.Max(maxRun) != maxRun {
		t.Errorf("%s: costs %+v, at most %+v is allowed", what, o.cost, maxRun)
	}
}

// badInputCommands are the runs that must survive anything.
var badInputCommands = [][]string{
	{"report", "--format", "json"},
	{"report", "--format", "json", "--train"},
	{"report", "--format", "table", "--per-node"},
	{"shapes", "--format", "json"},
}

// TestAuditFiles runs the program on files with something wrong or risky in
// them.
func TestAuditFiles(t *testing.T) {
	var most cost.Cost
	for _, f := range corpus.Audit(t) {
		for _, args := range badInputCommands {
			o := runOn(nil, append(args, f.Path)...)
			what := fmt.Sprintf("%v %s", args, f.Name)
			if args[2] == "table" {
				o.stdout = "null" // no JSON was asked for
			}
			o.check(t, what, f.Path)
			if o.code == exitUnreadable && !f.Unreadable && len(f.IDs) == 0 {
				t.Errorf("%s: a good file is not read: %s", what, o.stderr)
			}
			most = most.Max(o.cost)
		}
		annotated := filepath.Join(t.TempDir(), "annotated.onnx")
		o := runOn(nil, "shapes", f.Path, "-o", annotated, "--format", "json")
		o.check(t, "annotate "+f.Name, f.Path)
		if _, err := os.Stat(annotated); (err == nil) != (o.code != exitUnreadable) {
			t.Errorf("annotate %s: code %d, %v", f.Name, o.code, err)
		}
	}
	t.Logf("at most %+v for a run", most)
}

// TestPrefixes runs the program on every beginning of a model: where the file
// is cut off, the error must say so.
func TestPrefixes(t *testing.T) {
	file := modeltest.New(17).Opset("d", 1).
		Input("x", onnxgraph.Float, "n", 2).Input("c", onnxgraph.Bool).
		Init("w", []int64{2, 2}, []float32{1, 2, 3, 4}).
		Init("shape", []int64{2}, []int64{0, -1}).
		Node("MatMul", []string{"x", "w"}, []string{"h"}, modeltest.NodeName("product")).
		Node("F", []string{"h"}, []string{"i"}, modeltest.Domain("d")).
		Node("If", []string{"c"}, []string{"j"},
			modeltest.Subgraph("then_branch", modeltest.Body().Node("Relu", []string{"i"}, []string{"p"}).Output("p")),
			modeltest.Subgraph("else_branch", modeltest.Body().Constant("q", []int64{1, 2}, []float32{5, 6}).Output("q"))).
		Node("Reshape", []string{"j", "shape"}, []string{"y"}).
		Function("d", "F", modeltest.Body().Opset("", 17).Inputs("a").Output("b").Node("Softmax", []string{"a"}, []string{"b"})).
		Output("y").Bytes()
	path := filepath.Join(t.TempDir(), "prefix.onnx")
	read := 0
	for n := range len(file) + 1 {
		if err := os.WriteFile(path, file[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range badInputCommands[1:] {
			if args[2] == "table" {
				continue
			}
			o := runOn(nil, append(args, path)...)
			o.check(t, fmt.Sprintf("%v, %d bytes", args, n), path)
			if o.code != exitUnreadable {
				read++
			}
		}
	}
	// The whole file is read, by both commands, and so are the beginnings that
	// end between two fields of the model: before each import, the function and
	// the graph no earlier, since a model without a graph is none.
	if read != 2 {
		t.Errorf("%d of the runs read a model", read)
	}
}

// TestStandardInput: the same through standard input, which has no name.
func TestStandardInput(t *testing.T) {
	file := modeltest.New(17).Input("x", onnxgraph.Float, 1).Node("Relu", []string{"x"}, []string{"y"}).Output("y").Bytes()
	for _, n := range []int{0, 1, len(file) / 2, len(file) - 1} {
		runOn(file[:n], "shapes", "--format", "json", "-").check(t, fmt.Sprintf("%d bytes", n), "standard input")
	}
	if o := runOn(file, "shapes", "--format", "json", "-"); o.code != exitOK {
		t.Errorf("code %d, %s", o.code, o.stderr)
	}
}
