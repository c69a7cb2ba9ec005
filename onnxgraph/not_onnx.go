package onnxgraph

import "fmt"

// A NotONNXError says what a file is instead of an ONNX model.
type NotONNXError struct {
	Kind FileKind
	Err  error // why it cannot be read as a model; may be nil
}

// Error says what the file is.
func (e *NotONNXError) Error() string {
	return "not an ONNX model: " + e.Kind.describe()
}

// Unwrap returns what reading the file as a model said.
func (e *NotONNXError) Unwrap() error { return e.Err }

// explain turns the failure to read a model into the most helpful error: what
// the file is, when it is something well known, else where it is damaged.
func explain(data *source, err error) error {
	if data.size <= 0 {
		return &NotONNXError{Kind: KindEmpty}
	}
	head := make([]byte, min(data.size, sniffLength))
	if n, e := data.file.ReadAt(head, 0); e == nil || n > 0 {
		if kind := sniff(head[:n], data.size); kind != "" {
			return &NotONNXError{Kind: kind, Err: err}
		}
	}
	if t, e := readTensor(data); e == nil && isWhole(t) {
		return &NotONNXError{Kind: KindTensorProto, Err: err}
	}
	if err == nil {
		return &NotONNXError{Kind: KindNoGraph}
	}
	return fmt.Errorf("not a readable ONNX model: %w", err)
}

// isWhole reports whether t is beyond doubt a tensor: of a valid type, with as
// many values as its dims say.
func isWhole(t *Tensor) bool {
	if t.DType == String {
		_, err := t.StringsData(1 << 10)
		return err == nil
	}
	size, err := t.payloadSize(-1)
	if err != nil || len(t.Payloads) == 0 {
		return false
	}
	if _, err = t.section(size); isStoredTyped(err) {
		err = t.checkTyped()
	}
	return err == nil
}
