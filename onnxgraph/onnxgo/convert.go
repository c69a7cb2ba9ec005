package onnxgo

import (
	"bytes"

	"github.com/owulveryck/onnx-go"

	"onnxmem/onnxgraph"
)

// Convert decodes a file's bytes with onnx-go, makes a model of it, reads the
// same bytes with [onnxgraph.Read], and says what the first way lost. The
// versions of the operator sets are the file's. Where onnx-go left out dims the
// model has no shape.
//
// The error is a [*DecodeError] when onnx-go cannot decode the file, or what
// [onnxgraph.Read] says of it.
func Convert(data []byte) (*onnxgraph.Model, []Diagnostic, error) {
	original, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	backend := NewBackend()
	decoded := onnx.NewModel(backend)
	if err := backend.Decode(decoded, data); err != nil {
		return nil, nil, err
	}
	opsets := map[string]int64{}
	for _, i := range original.OpsetImports {
		opsets[onnxgraph.CanonicalDomain(i.Domain)] = i.Version
	}
	taken, _, err := backend.Model(decoded, Options{Opsets: opsets, Static: true})
	if err != nil {
		return nil, nil, err
	}
	lost := Compare(taken, original)
	dropWrongShapes(taken.Graph, lost)
	return taken, lost, nil
}

// dropWrongShapes takes away the shapes in which dims are missing.
func dropWrongShapes(g *onnxgraph.Graph, lost []Diagnostic) {
	wrong := map[string]bool{}
	for _, d := range lost {
		if d.Code == LostDim {
			wrong[d.Subject] = true
		}
	}
	for _, list := range [][]*onnxgraph.ValueInfo{g.Inputs, g.Outputs, g.ValueInfos} {
		for _, v := range list {
			if wrong[v.Name] && v.Type != nil {
				v.Type.Shape = nil
			}
		}
	}
}
