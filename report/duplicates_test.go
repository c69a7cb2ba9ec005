package report_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
	"onnxmem/report/finding"
)

// TestDuplicates: of five matrices of equal shape, a and c are equal, b differs
// from them in one float between the places that are sampled, and the two of
// zeros are equal without being shared.
func TestDuplicates(t *testing.T) {
	const n = 64
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 4*n*n)
	for i := range n * n {
		binary.LittleEndian.PutUint32(data[4*i:], random.Uint32()>>2)
	}
	other := slices.Clone(data)
	other[4000] ^= 1
	m := modeltest.New(17).Input("x", onnxgraph.Float, 1, n)
	names := []string{"a", "b", "c", "zero1", "zero2"}
	for i, raw := range [][]byte{data, other, data, make([]byte, 4*n*n), make([]byte, 4*n*n)} {
		m.InitRaw(names[i], onnxgraph.Float, []int64{n, n}, raw)
	}
	in := "x"
	for _, w := range names {
		m.Node("MatMul", []string{in, w}, []string{"y" + w})
		in = "y" + w
	}
	model := m.Output(in).Model(t)
	a, err := report.Analyze(model, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := resultOf(t, a)
	if len(r.Weights.Duplicates) != 1 || !slices.Equal(r.Weights.Duplicates[0].Names, []string{"a", "c"}) || r.Weights.Duplicates[0].Bytes != 4*n*n {
		t.Errorf("duplicates %+v, want a and c of 16,384 bytes", r.Weights.Duplicates)
	}
	// Stored once, one of the two would not be needed.
	if !slices.ContainsFunc(r.Parameters.Notes, func(f finding.Finding) bool {
		return f.Code == finding.DuplicateWeights && f.Tensor == "a" && f.Related == "c" && f.Bytes == 4*n*n
	}) {
		t.Errorf("notes %+v", r.Parameters.Notes)
	}
	// Counted as stored: five matrices.
	if *r.Weights.Bytes != 5*4*n*n {
		t.Errorf("weights of %d bytes", *r.Weights.Bytes)
	}
	if bytes.Equal(data, other) {
		t.Fatal("the matrices that should differ do not")
	}
}

// TestPerhapsTied: a projection of 16 by 1,000 after an embedding of 1,000 by
// 16 may be the same weight; one of 16 by 999 is not.
func TestPerhapsTied(t *testing.T) {
	for width, want := range map[int64]bool{1000: true, 999: false} {
		m := modeltest.New(17).Input("ids", onnxgraph.Int64, 1, 8).
			InitZeros("embed", onnxgraph.Float, 1000, 16).InitZeros("out", onnxgraph.Float, 16, width).
			Node("Gather", []string{"embed", "ids"}, []string{"x"}).
			Node("MatMul", []string{"x", "out"}, []string{"y"}).Output("y").Model(t)
		a, err := report.Analyze(m, report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		notes := resultOf(t, a).Parameters.Notes
		if tied := slices.ContainsFunc(notes, func(f finding.Finding) bool { return f.Code == finding.PossiblyTied && f.Tensor == "out" }); tied != want {
			t.Errorf("projection to %d: notes %+v", width, notes)
		}
	}
}
