package tape

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
	"onnxmem/report/memory/internal/ref"
	"onnxmem/shapeinfer"
)

// A Tape is the list of framework operators of one forward pass, in order, and
// the memory that they make, keep and give gradients to.
type Tape struct {
	Storages ref.List[Storage]
	Vars     ref.List[Var]
	Ops      []Op
	Params   ref.List[Param]
	Inputs   []StorageID
	Outputs  []VarID // float outputs, over which the loss is taken

	ParameterBytes int64 // trained or not
	BufferBytes    int64
	InputBytes     int64

	FoldedBatchNorms int
	Notes            []finding.Finding
}

// A Kind says where a storage comes from, and so who holds it.
type Kind uint8

// The kinds of storages.
const (
	Made      Kind = iota // by an operator
	Parameter             // trained or not
	Buffer
	Input
	Constant // of no size that matters
)

// A Storage is a block of memory that one or more tensors share.
type Storage struct {
	Bytes int64
	Kind  Kind
	// Mask says that it is a mask of a dropout.
	Mask bool
}

// A VarID refers to a Var of a Tape, or to none: an operand that is left out.
type VarID = ref.ID[Var]

// A Var is a tensor of which a derivative may be taken.
type Var struct {
	Tensor
	NeedsGrad bool
	Param     ParamID // none for what is no parameter
}

// A ParamID refers to a Param of a Tape, or to none.
type ParamID = ref.ID[Param]

// A Param is a parameter of the model.
type Param struct {
	Name   string
	Var    VarID
	Dims   []int64
	Trains bool
	Bytes  int64
}

// An Op is one operator of the framework, with the node that its derivative
// leaves in the graph of autograd.
type Op struct {
	// Kind is the class of the autograd node, without Backward0; empty for
	// operators that leave none.
	Kind  string
	Scope *shapeinfer.Scope
	Node  int32  // in Scope: the ONNX node behind it
	Root  int32  // in the main graph: that node, or the call or If that it lies in
	Path  string // of the calls around it

	In    []VarID
	Out   []VarID
	Made  []StorageID // what its forward pass allocates
	Saved []StorageID // what its derivative keeps
	// Scratch are bytes that it takes while it runs forward, and that its
	// derivative takes beyond what it returns.
	Scratch         int64
	BackwardScratch int64
	Grads           []Grad
	// Once lists the storages that autocast keeps until the forward pass
	// ends: weights in 16 bits.
	Once []StorageID
}

// Label names the ONNX node behind an operator; it is empty for none.
func (o *Op) Label() string {
	if o == nil {
		return ""
	}
	return label(o.Path, o.Scope.Graph.Nodes[o.Node], o.Node)
}

// A Rule says how the gradient of an operand follows from that of an output.
type Rule uint8

// The rules of gradients.
const (
	Fresh   Rule = iota // a new tensor of the operand's size
	Pass                // the same tensor; summed into a new one where the operand was repeated
	Full                // a new tensor of the output's size; summed where the operand was repeated
	Reshape             // the same memory in the operand's dims, where that goes
	Permute             // the same memory with axes in the order Perm
	Narrow              // a part of the same memory
	Repeat              // the same memory, seen repeatedly
)

// A Grad is the gradient of one operand.
type Grad struct {
	To   VarID
	From int // index among the outputs
	Rule Rule
	Perm []int
	// Layout says how a fresh gradient lies: in the order of the operand's
	// axes, or row-major when Dense.
	Dense bool
	Heads bool // laid out with heads after rows
	View  bool // the framework hands out a view of what it computed
}

// elementBytes is the size of an element in training.
func (r *recorder) elementBytes(d onnxgraph.DType) int64 {
	if isReal(d) {
		if d == onnxgraph.Double {
			return 8
		}
		return r.opts.elementSize()
	}
	return max(int64(d.Bits())/8, 1)
}

// isReal reports whether a derivative can be taken of tensors of that type.
func isReal(d onnxgraph.DType) bool {
	switch d {
	case onnxgraph.Float, onnxgraph.Float16, onnxgraph.Bfloat16, onnxgraph.Double:
		return true
	}
	return false
}
