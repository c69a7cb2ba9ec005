package ort

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"onnxmem/onnxgraph"
)

// functionKernels lists the kernels that the CPU provider of ONNX Runtime 1.32
// has for operators that are functions: the versions of the operator, and the
// element types by the input (0:) or output (>0:) that decides. A kernel of
// versions without an end is for that version alone, since what a later version
// means was not known when it was written (core/framework/kernel_registry.cc).
// Source: the kernel definitions that the runtime lists
// (onnxruntime.capi._pybind_state.get_all_opkernel_def).
const functionKernels = `
AffineGrid 20 0:float|double
Attention 23 0:float 2:float 3:bool|float
Attention 23 0:float16 2:float16 3:bool|float16
Attention 24 0:float 2:float 3:bool|float
Attention 24 0:float16 2:float16 3:bool|float16
BlackmanWindow 17 >0:float|double|uint8|uint16|uint32|uint64|int8|int16|int32|int64
DepthToSpace 28 0:float|double|uint8|int8
Elu 6-21 0:float
Elu 22 0:float
Gelu 20 0:float
GreaterOrEqual 12-15 0:float|double|int8|int16|int32|int64|uint8|uint16|uint32|uint64
GreaterOrEqual 16 0:float|double|int8|int16|int32|int64|uint8|uint16|uint32|uint64
HammingWindow 17 >0:float|double|uint8|uint16|uint32|uint64|int8|int16|int32|int64
HannWindow 17 >0:float|double|uint8|uint16|uint32|uint64|int8|int16|int32|int64
HardSigmoid 6-21 0:float
HardSigmoid 22 0:float
LeakyRelu 16 0:float
LessOrEqual 12-15 0:float|double|int8|int16|int32|int64|uint8|uint16|uint32|uint64
LessOrEqual 16 0:float|double|int8|int16|int32|int64|uint8|uint16|uint32|uint64
LogSoftmax 13 0:float|double
PRelu 16 0:float
Range 27 0:int32|int64|float|double|int16
ReduceL1 18 0:float|double|int32|int64
ReduceL2 18 0:float|double|int32|int64
ReduceLogSum 18 0:float|double|int32|int64
ReduceLogSumExp 18 0:float|double|int32|int64
ReduceSumSquare 18 0:float|double|int32|int64
Relu 14 0:float|double|int8|int32
Selu 6-21 0:float
Selu 22 0:float
Softmax 13 0:float|double
Softplus 1-21 0:float
Softplus 22 0:float
Softsign 1-21 0:float
Softsign 22 0:float
SpaceToDepth 28 0:float|double|uint8|int8
ThresholdedRelu 10-21 0:float
ThresholdedRelu 22 0:float
com.microsoft::FastGelu 1 0:float
com.microsoft::Gelu 1 0:float
com.microsoft::QuickGelu 1 0:float
`

// A functionKernel is a line of that list.
type functionKernel struct {
	from, to int // versions of the operator
	types    []slotTypes
}

// slotTypes are the element types of one input or output.
type slotTypes struct {
	slot   int
	output bool
	types  []string // names in lower case
}

var kernelsOfFunctions = sync.OnceValue(func() map[string][]functionKernel {
	m := map[string][]functionKernel{}
	for line := range strings.Lines(strings.TrimSpace(functionKernels)) {
		fields := strings.Fields(line)
		m[fields[0]] = append(m[fields[0]], parseKernel(fields[1:]))
	}
	return m
})

func parseKernel(fields []string) functionKernel {
	var k functionKernel
	if n, _ := fmt.Sscanf(fields[0], "%d-%d", &k.from, &k.to); n == 1 {
		k.to = k.from
	}
	for _, f := range fields[1:] {
		s := slotTypes{output: strings.HasPrefix(f, ">")}
		slot, types, _ := strings.Cut(strings.TrimPrefix(f, ">"), ":")
		s.slot, _ = strconv.Atoi(slot) // the table is part of the program, and tests read all of it
		s.types = strings.Split(types, "|")
		k.types = append(k.types, s)
	}
	return k
}

// hasKernel reports whether the provider runs the node of a function as it is.
func (b *functionBody) hasKernel(c *bodyCall) bool {
	for _, k := range kernelsOfFunctions()[b.key()] {
		if since := c.since(); k.from <= since && since <= k.to && k.takes(c) {
			return true
		}
	}
	return false
}

// takes reports whether the kernel is for the types of a call. An input that is
// not given has none.
func (k functionKernel) takes(c *bodyCall) bool {
	for _, s := range k.types {
		d := c.dtype(s.slot)
		if s.output {
			d = c.outputDType(s.slot)
		}
		if d != onnxgraph.Undefined && !s.has(d, c.float16) {
			return false
		}
	}
	return true
}

func (s slotTypes) has(d onnxgraph.DType, float16 bool) bool {
	name := strings.ToLower(d.String())
	for _, t := range s.types {
		// Providers whose kernels take float16 take it wherever they take float.
		if t == name || float16 && d == onnxgraph.Float16 && t == "float" {
			return true
		}
	}
	return false
}
