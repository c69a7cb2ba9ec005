package shapeinfer

import (
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/internal/schema"
	"onnxmem/shapeinfer/op"
)

// This file finds the version of an operator that is in force, and reports where
// the model does not determine it.

// An opKey is an operator name under an imported version.
type opKey struct {
	domain, name string
	opset        int64
}

// A foundOp is the version of an operator in force; op is nil where there is
// none.
type foundOp struct {
	op     *op.Op
	since  int
	schema *schema.Schema
}

// newestOpset stands for the newest version of a domain that is known.
const newestOpset = math.MaxInt64

// find looks an operator up. Files of IR version 1 and 2 import nothing and
// mean version 1 of the default domain
// (https://github.com/onnx/onnx/blob/main/docs/IR.md, operator sets); for any
// other domain that is not imported the newest version is taken, and said so.
func (e *engine) find(n *onnxgraph.Node, opset int64, imported bool) foundOp {
	if !imported {
		opset = newestOpset
		if onnxgraph.CanonicalDomain(n.Domain) == "" && len(e.program.Model.OpsetImports) == 0 {
			opset = 1
		}
	}
	k := opKey{n.Domain, n.OpType, opset}
	known, ok := e.found[k]
	if ok {
		return known
	}
	known.op, known.since = e.catalogue.Find(n.Domain, n.OpType, opset)
	if known.op != nil {
		known.schema = schema.Find(known.op.Domain, n.OpType, known.since)
	}
	if known.op != nil && opset == newestOpset {
		e.diagnose(Warning, "opset-missing", "", "", "the model uses operators of %s but imports no version of it; the newest known version is assumed", domainName(n.Domain))
	}
	e.found[k] = known
	return known
}

// checkImports says where the model leaves the versions of operators to guess:
// no import at all, and imports of versions newer than any that is known.
func (e *engine) checkImports() {
	m := e.program.Model
	if len(m.OpsetImports) == 0 && m.IRVersion >= 3 {
		e.diagnose(Error, "opset-missing", "", "", "the model imports no operator set, which a file since IR version 3 must do; version 1 is assumed")
	}
	e.checkNewer(m.OpsetImports)
	for _, f := range m.Functions {
		e.checkNewer(f.OpsetImports)
	}
}

func (e *engine) checkNewer(imports []onnxgraph.OpsetImport) {
	for _, imp := range imports {
		if newest := schema.Newest(onnxgraph.CanonicalDomain(imp.Domain)); newest > 0 && imp.Version > int64(newest) {
			e.diagnose(Note, "opset-newer", "", "", "the model imports version %d of %s; version %d, the newest known, is used", imp.Version, domainName(imp.Domain), newest)
		}
	}
}
