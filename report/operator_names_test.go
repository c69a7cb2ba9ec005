package report_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
)

// TestOperatorsNamedInTables reads the program's own sources: wherever one of
// them names an operator outside the catalogue, as a key of a table or beside a
// node's operator, the catalogue must have it. Otherwise the line has no effect.
func TestOperatorsNamedInTables(t *testing.T) {
	found := 0
	for _, folder := range []string{".", "../onnxgraph", "../shapeinfer", "../cmd"} {
		err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && filepath.ToSlash(path) == "../shapeinfer/op":
				return fs.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for at, id := range operatorsNamed(file, filepath.Base(filepath.Dir(path)) == "tape") {
				found++
				if !inCatalogue(id) {
					t.Errorf("%s: the catalogue has no operator %+v", files.Position(at), id)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 300 {
		t.Errorf("only %d names of operators were found: the test no longer sees the tables", found)
	}
}

// anyDomain stands for a name that is compared without its domain.
const anyDomain = "*"

func inCatalogue(id op.ID) bool {
	if id.Domain != anyDomain {
		return catalogue.Default().Has(id.Domain, id.Name)
	}
	for _, o := range catalogue.Default().Ops() {
		if o.Name == id.Name {
			return true
		}
	}
	return false
}

// operatorsNamed lists the operators that a file names: in an op.ID, and in
// comparisons with a node's operator. Tables of the tape are keyed by text,
// with the domain in front: com.microsoft::Attention.
func operatorsNamed(file *ast.File, tape bool) map[token.Pos]op.ID {
	named := map[token.Pos]op.ID{}
	text := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			name, _ := strconv.Unquote(lit.Value)
			domain := anyDomain
			if d, rest, ok := strings.Cut(name, "::"); ok {
				domain, name = d, rest
			}
			if name != "" {
				named[lit.Pos()] = op.ID{Domain: domain, Name: name}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if isID(n.Type) {
				named[n.Pos()] = readID(n)
			}
			if m, ok := n.Type.(*ast.MapType); ok {
				for _, e := range n.Elts {
					key := e.(*ast.KeyValueExpr).Key
					if lit, ok := key.(*ast.CompositeLit); ok && lit.Type == nil && isID(m.Key) {
						named[lit.Pos()] = readID(lit)
					} else if tape && isRuleTable(m.Value) {
						text(key)
					}
				}
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				if isOperator(n.X) {
					text(n.Y)
				} else if isOperator(n.Y) {
					text(n.X)
				}
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && isOperator(n.Tag) {
				for _, clause := range n.Body.List {
					for _, e := range clause.(*ast.CaseClause).List {
						text(e)
					}
				}
			}
		}
		return true
	})
	return named
}

// isOperator reports whether an expression is the operator of a node.
func isOperator(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && (s.Sel.Name == "OpType" || s.Sel.Name == "op")
}

func isID(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "ID" && isIdent(s.X, "op")
}

// isRuleTable reports whether the values of a map are rules, flags or counts for
// operators.
func isRuleTable(e ast.Expr) bool {
	_, isFunc := e.(*ast.FuncType)
	return isFunc || isIdent(e, "rule") || isIdent(e, "bool") || isIdent(e, "int")
}

func isIdent(e ast.Expr, name string) bool {
	i, ok := e.(*ast.Ident)
	return ok && i.Name == name
}

var domains = map[string]string{
	"DomainML": op.DomainML, "DomainPreview": op.DomainPreview, "DomainPreviewTraining": op.DomainPreviewTraining,
	"DomainMicrosoft": op.DomainMicrosoft, "DomainNchwc": op.DomainNchwc, "DomainInternalNHWC": op.DomainInternalNHWC, "DomainATen": op.DomainATen,
}

// readID reads an op.ID whose fields are constants; one that is computed reads
// as Identity, which every catalogue has.
func readID(lit *ast.CompositeLit) op.ID {
	id := op.ID{Name: "Identity"}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return op.ID{Name: "Identity"}
		}
		switch v := kv.Value.(type) {
		case *ast.BasicLit:
			s, _ := strconv.Unquote(v.Value)
			if isIdent(kv.Key, "Name") {
				id.Name = s
			} else {
				id.Domain = s
			}
		case *ast.SelectorExpr:
			id.Domain = domains[v.Sel.Name]
		}
	}
	return id
}
