package runtimes

import "onnxmem/report/memory/internal/enum"

// A Runtime is a runtime whose memory can be estimated.
type Runtime uint8

// The runtimes.
const (
	ORTCPU       Runtime = iota // ONNX Runtime on the CPU
	ORTCUDA                     // ONNX Runtime on CUDA
	TensorRTLike                // a compiled engine, as TensorRT makes it
	None                        // no estimate
)

func names() *enum.Names {
	return &enum.Names{Option: "runtime", Values: []string{"ort-cpu", "ort-cuda", "tensorrt-like", "none"}}
}

// Parse is the runtime of a name. The error is a [*memory.OptionError].
func Parse(name string) (Runtime, error) {
	v, err := names().Parse(name)
	return Runtime(v), err
}

// Values lists the names that [Parse] takes, the default first.
func (Runtime) Values() []string { return names().Values }

// String is the name that [Parse] takes.
func (r Runtime) String() string { return names().String(uint8(r)) }

// MarshalText implements [encoding.TextMarshaler].
func (r Runtime) MarshalText() ([]byte, error) { return names().MarshalText(uint8(r)) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Runtime) UnmarshalText(name []byte) error { return enum.Unmarshal(r, Parse, name) }
