package shapeinfer

import (
	"errors"
	"fmt"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// This file reads the elements of stored tensors that may decide a shape.

// checkStored reports stored tensors whose payload no runtime takes: of another
// size than dims and data type ask for, or in a data file that is refused.
func (e *engine) checkStored() {
	for _, t := range e.program.Model.AllTensors() {
		var wrong *onnxgraph.DataError
		if err := t.CheckData(); errors.As(err, &wrong) {
			e.diagnose(Error, string(wrong.Code), "", "", "%s", wrong)
		}
	}
}

// read returns the elements of a stored tensor that is small enough to decide
// a shape; nil when it is not, or cannot be read. Each tensor is read once.
func (e *engine) read(t *onnxgraph.Tensor) *tensor.Value {
	if v, ok := e.values[t]; ok {
		return v
	}
	v, err := ReadValue(t)
	var wrong *onnxgraph.DataError
	if errors.As(err, &wrong) && isDamage(wrong.Code) {
		e.diagnose(Error, string(wrong.Code), "", "", "%s", wrong)
	}
	e.values[t] = v
	return v
}

// isDamage reports whether a tensor that cannot be read is wrong in itself,
// rather than out of reach: a data file may well be elsewhere.
func isDamage(c onnxgraph.DataCode) bool {
	switch c {
	case onnxgraph.DataSize, onnxgraph.DataType, onnxgraph.DataField, onnxgraph.DataNone, onnxgraph.DataDamaged:
		return true
	}
	return false
}

// ReadValue reads the elements of a stored tensor. It refuses tensors that are
// too large to decide a shape.
func ReadValue(t *onnxgraph.Tensor) (*tensor.Value, error) {
	for _, d := range t.Dims {
		if d < 0 {
			return nil, fmt.Errorf("a dimension cannot be %d", d)
		}
	}
	dims, n, ok := tensor.Fits(t.DType, tensor.IntShape(t.Dims...))
	if !ok {
		return nil, fmt.Errorf("%s%v has too many elements to be tracked", t.DType, t.Dims)
	}
	v := &tensor.Value{DType: t.DType, Dims: dims, Elems: make([]tensor.Scalar, n)}
	switch {
	case t.DType == onnxgraph.String:
		texts, err := t.StringsData(int(n))
		if err != nil || len(texts) != len(v.Elems) {
			return nil, err
		}
		for i, s := range texts {
			v.Elems[i] = tensor.Text(s)
		}
	case t.DType.IsFloat():
		floats, err := t.Float64s(int(n))
		if err != nil {
			return nil, err
		}
		for i, x := range floats {
			v.Elems[i] = tensor.Float(x)
		}
	case t.DType.IsInteger() || t.DType == onnxgraph.Bool:
		ints, err := t.Int64s(int(n))
		if err != nil {
			return nil, err
		}
		for i, x := range ints {
			v.Elems[i] = tensor.Int(x)
		}
	default:
		return nil, fmt.Errorf("values of type %s are not tracked", t.DType)
	}
	return v, nil
}

func valueOrNil(fact *tensor.Fact) *tensor.Value {
	if fact == nil {
		return nil
	}
	return fact.Value
}
