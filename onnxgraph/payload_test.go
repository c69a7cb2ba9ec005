package onnxgraph_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

// A recordedTensor is what ONNX's numpy_helper reads from a TensorProto; see
// testdata/record_tensors.py.
type recordedTensor struct {
	DType, Storage, Tensor string
	Values                 []string
}

// TestRecordedTensors reads tensors of every numeric data type, from raw_data
// and from the typed fields, and compares each element with what ONNX reads.
func TestRecordedTensors(t *testing.T) {
	f, err := os.Open("testdata/tensors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[onnxgraph.DType]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r recordedTensor
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		file, err := hex.DecodeString(r.Tensor)
		if err != nil {
			t.Fatal(err)
		}
		tensor, err := onnxgraph.ReadTensor(file)
		if err != nil || tensor.DType.String() != r.DType {
			t.Fatalf("%s: %v, type %v", r.DType, err, tensor.DType)
		}
		seen[tensor.DType] = true
		got, err := valuesOf(tensor)
		if err != nil {
			t.Errorf("%s in %s: %v", r.DType, r.Storage, err)
		} else if !slices.Equal(got, r.Values) {
			t.Errorf("%s in %s: %.300v\nwant %.300v", r.DType, r.Storage, fmt.Sprint(got), fmt.Sprint(r.Values))
		}
	}
	for d := onnxgraph.Undefined; ; d++ {
		if d > onnxgraph.Undefined && !d.Valid() {
			break
		}
		if (d.IsFloat() || d.IsInteger() || d == onnxgraph.Bool) && !seen[d] {
			t.Errorf("no recorded tensor of type %v", d)
		}
	}
}

// valuesOf is the values of a tensor in the notation of the record: integers in
// decimal, floats as the bits of a float64.
func valuesOf(t *onnxgraph.Tensor) (list []string, err error) {
	switch {
	case t.DType.IsFloat():
		values, err := t.Float64s(-1)
		for _, v := range values {
			list = append(list, floatBits(v))
		}
		return list, err
	case t.DType == onnxgraph.Uint64:
		values, err := t.Uint64s(-1)
		for _, v := range values {
			list = append(list, strconv.FormatUint(v, 10))
		}
		return list, err
	}
	values, err := t.Int64s(-1)
	for _, v := range values {
		list = append(list, strconv.FormatInt(v, 10))
	}
	return list, err
}

// floatBits is the bits of v in hex; NaNs are all alike.
func floatBits(v float64) string {
	if math.IsNaN(v) {
		return "nan"
	}
	return fmt.Sprintf("%016x", math.Float64bits(v))
}

// tensorOf is a tensor as it is read back from a model.
func tensorOf(t *testing.T, built modeltest.Tensor) *onnxgraph.Tensor {
	t.Helper()
	return modeltest.New(17).InitTensor(built).Model(t).Graph.Initializers[0]
}

func wantCode(t *testing.T, name string, err error, code onnxgraph.DataCode) {
	t.Helper()
	var e *onnxgraph.DataError
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s: error %v, want code %s", name, err, code)
	}
}

func TestPayloadSizes(t *testing.T) {
	raw := func(dtype onnxgraph.DType, n int, dims ...int64) *onnxgraph.Tensor {
		return tensorOf(t, modeltest.RawTensor("w", dtype, dims, make([]byte, n)))
	}
	typed := func(dtype onnxgraph.DType, field int32, run string, dims ...int64) *onnxgraph.Tensor {
		return tensorOf(t, modeltest.TypedTensor("w", dtype, dims, field, []byte(run)))
	}
	for _, c := range []struct {
		name   string
		tensor *onnxgraph.Tensor
		code   onnxgraph.DataCode // "" for right ones
	}{
		{"right", raw(onnxgraph.Float, 24, 2, 3), ""},
		{"scalar", raw(onnxgraph.Float, 4), ""},
		{"no elements", raw(onnxgraph.Float, 0, 2, 0), ""},
		{"one byte short", raw(onnxgraph.Float, 23, 2, 3), onnxgraph.DataSize},
		{"one byte long", raw(onnxgraph.Float, 25, 2, 3), onnxgraph.DataSize},
		{"five 4-bit elements in three bytes", raw(onnxgraph.Int4, 3, 5), ""},
		{"five 4-bit elements in five bytes", raw(onnxgraph.Int4, 5, 5), onnxgraph.DataSize},
		{"five 2-bit elements in two bytes", raw(onnxgraph.Uint2, 2, 5), ""},
		{"five 6-bit elements in four bytes", raw(onnxgraph.Float6E2M3, 4, 5), ""},
		{"negative dim", raw(onnxgraph.Float, 24, 2, -3), onnxgraph.DataSize},
		{"dims that overflow", raw(onnxgraph.Float, 24, 1<<40, 1<<40), onnxgraph.DataSize},
		{"bytes that overflow", raw(onnxgraph.Float, 24, 1<<62), onnxgraph.DataSize},
		{"undefined type", raw(onnxgraph.Undefined, 24, 6), onnxgraph.DataType},
		{"unknown type", raw(99, 24, 6), onnxgraph.DataType},
		{"typed: one entry each", typed(onnxgraph.Int32, 5, "\x01\x02\x03", 3), ""},
		{"typed: too few", typed(onnxgraph.Int32, 5, "\x01\x02", 3), onnxgraph.DataSize},
		{"typed: too few in enough bytes", typed(onnxgraph.Int32, 5, "\x81\x02\x03", 3), onnxgraph.DataSize},
		{"typed: too many", typed(onnxgraph.Int32, 5, "\x01\x02\x03\x04", 3), onnxgraph.DataSize},
		{"typed: huge dims", typed(onnxgraph.Int64, 7, "\x01", 1<<50), onnxgraph.DataSize},
		{"typed: the wrong field", typed(onnxgraph.Int64, 5, "\x01\x02\x03", 3), onnxgraph.DataField},
		{"typed: ends inside a number", typed(onnxgraph.Int64, 7, "\x01\x02\x83", 3), onnxgraph.DataDamaged},
		{"no payload", tensorOf(t, modeltest.TypedTensor("w", onnxgraph.Float, []int64{3}, 4, nil)), onnxgraph.DataNone},
		{"no payload, no elements", tensorOf(t, modeltest.TypedTensor("w", onnxgraph.Float, []int64{0}, 4, nil)), ""},
	} {
		b, err := c.tensor.ReadBytes(-1)
		var stream bytes.Buffer
		streamErr := c.tensor.WriteData(&stream)
		if c.code != "" {
			wantCode(t, c.name, err, c.code)
			wantCode(t, c.name+", streamed", streamErr, c.code)
			continue
		}
		want, _ := c.tensor.Bytes()
		if err != nil || int64(len(b)) != want {
			t.Errorf("%s: %d bytes, %v; want %d", c.name, len(b), err, want)
		}
		if streamErr != nil || !bytes.Equal(stream.Bytes(), b) {
			t.Errorf("%s: WriteData gives %x, %v, where ReadBytes gives %x", c.name, stream.Bytes(), streamErr, b)
		}
	}
}

func TestPayloadLimits(t *testing.T) {
	w := tensorOf(t, modeltest.NewTensor("w", []int64{3}, []int64{1, 2, 3}))
	if got, err := w.Int64s(3); err != nil || !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("%v, %v", got, err)
	}
	_, err := w.Int64s(2)
	wantCode(t, "Int64s", err, onnxgraph.DataLimit)
	_, err = w.ReadBytes(23)
	wantCode(t, "ReadBytes", err, onnxgraph.DataLimit)
	_, err = w.Float64s(-1)
	wantCode(t, "Float64s of INT64", err, onnxgraph.DataType)
	_, err = w.StringsData(-1)
	wantCode(t, "StringsData of INT64", err, onnxgraph.DataType)
	big := tensorOf(t, modeltest.NewTensor("w", []int64{1}, []uint64{1 << 63}))
	_, err = big.Int64s(-1)
	wantCode(t, "2^63 as int64", err, onnxgraph.DataOverflow)
	c := tensorOf(t, modeltest.RawTensor("w", onnxgraph.Complex64, []int64{1}, make([]byte, 8)))
	_, err = c.Float64s(-1)
	wantCode(t, "complex", err, onnxgraph.DataType)
	if b, err := c.ReadBytes(-1); err != nil || len(b) != 8 {
		t.Errorf("complex: %d bytes, %v", len(b), err)
	}
}

// TestPayloadPriority: raw_data beats the typed fields, external data beats
// both, the last raw_data counts (as ONNX Runtime and protobuf have it).
func TestPayloadPriority(t *testing.T) {
	tensor := func(fields string) *onnxgraph.Tensor {
		w, err := onnxgraph.ReadTensor([]byte("\x08\x02\x10\x03" + fields)) // INT8[2]
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	const raw12, raw34, typed56 = "\x4a\x02\x01\x02", "\x4a\x02\x03\x04", "\x2a\x02\x05\x06"
	for _, c := range []struct {
		fields string
		want   []int64
	}{
		{raw12, []int64{1, 2}},
		{raw12 + typed56, []int64{1, 2}},
		{typed56 + raw12, []int64{1, 2}},
		{raw12 + raw34, []int64{3, 4}},
		{typed56, []int64{5, 6}},
		{"\x28\x05\x28\x06", []int64{5, 6}},                 // unpacked
		{"\x2a\x01\x05\x28\x06", []int64{5, 6}},             // one packed run, one single
		{"\x2a\x00\x2a\x01\x05\x2a\x01\x06", []int64{5, 6}}, // three runs, one empty
		{"\x2a\x0b\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", []int64{5, -1}},
	} {
		got, err := tensor(c.fields).Int64s(-1)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%x: %v, %v; want %v", c.fields, got, err, c.want)
		}
	}
	_, err := tensor(raw12 + "\x70\x01").Int64s(-1) // data_location EXTERNAL, no location
	wantCode(t, "external and raw", err, onnxgraph.DataLocation)
}

func TestStrings(t *testing.T) {
	w := tensorOf(t, modeltest.NewTensor("w", []int64{2, 2}, []string{"a", "", "\xff", "long enough"}))
	got, err := w.StringsData(4)
	if err != nil || !slices.Equal(got, []string{"a", "", "\xff", "long enough"}) {
		t.Errorf("%q, %v", got, err)
	}
	if n, ok := w.StoredBytes(); n != 13 || !ok || w.StringBytes() != 13 {
		t.Errorf("%d bytes, %v, %d", n, ok, w.StringBytes())
	}
	_, err = w.StringsData(3)
	wantCode(t, "limit", err, onnxgraph.DataLimit)
	short := tensorOf(t, modeltest.NewTensor("w", []int64{3}, []string{"a"}))
	_, err = short.StringsData(-1)
	wantCode(t, "too few", err, onnxgraph.DataSize)
	memory := onnxgraph.NewStringTensor("m", []int64{2}, []string{"x", "yz"})
	if got, err := memory.StringsData(-1); err != nil || !slices.Equal(got, []string{"x", "yz"}) {
		t.Errorf("in memory: %q, %v", got, err)
	}
}

func TestNewTensor(t *testing.T) {
	w := onnxgraph.NewTensor("w", onnxgraph.Int16, []int64{2}, []byte{1, 0, 0xff, 0xff})
	if got, err := w.Int64s(-1); err != nil || !slices.Equal(got, []int64{1, -1}) {
		t.Errorf("%v, %v", got, err)
	}
	s, err := w.Open()
	if err != nil || s.Size() != 4 {
		t.Errorf("Open: %v", err)
	}
	bare := &onnxgraph.Tensor{DType: onnxgraph.Int16, Dims: []int64{2}, Payloads: w.Payloads}
	_, err = bare.Int64s(-1)
	wantCode(t, "a tensor of no file", err, onnxgraph.DataMissing)
}

func TestSegmentsAreRefused(t *testing.T) {
	w, err := onnxgraph.ReadTensor([]byte("\x08\x02\x10\x03\x1a\x04\x08\x00\x10\x02\x4a\x02\x01\x02"))
	if err != nil || w.Segment == nil || w.Segment.End != 2 {
		t.Fatalf("%+v, %v", w, err)
	}
	_, err = w.Int64s(-1)
	wantCode(t, "segment", err, onnxgraph.DataSegment)
}

// TestStoredBytes: what a payload occupies in the form a runtime keeps. The
// 4-bit case is a real one: 2048 int32_data entries of ten bytes each in the
// file are 4096 elements in 2048 bytes of memory.
func TestStoredBytes(t *testing.T) {
	negative := bytes.Repeat([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 2048)
	for _, c := range []struct {
		name   string
		tensor modeltest.Tensor
		want   int64
	}{
		{"raw", modeltest.RawTensor("w", onnxgraph.Float, []int64{2}, make([]byte, 9)), 9},
		{"4-bit in int32_data", modeltest.TypedTensor("w", onnxgraph.Int4, []int64{4096}, 5, negative), 2048},
		{"external with a length", modeltest.ExternalTensor("w", onnxgraph.Float, []int64{2}, "w.bin", 0, 7), 7},
		{"external without a length", modeltest.ExternalTensor("w", onnxgraph.Float, []int64{2}, "w.bin", 0, -1), 8},
		{"nothing", modeltest.TypedTensor("w", onnxgraph.Float, []int64{2}, 4, nil), 0},
	} {
		if n, ok := tensorOf(t, c.tensor).StoredBytes(); n != c.want || !ok {
			t.Errorf("%s: %d, %v; want %d", c.name, n, ok, c.want)
		}
	}
	got, err := tensorOf(t, modeltest.TypedTensor("w", onnxgraph.Int4, []int64{4096}, 5, negative)).Int64s(-1)
	if err != nil || len(got) != 4096 || slices.Min(got) != -1 || slices.Max(got) != -1 {
		t.Errorf("4-bit in int32_data: %d values from %d to %d, %v", len(got), slices.Min(got), slices.Max(got), err)
	}
}
