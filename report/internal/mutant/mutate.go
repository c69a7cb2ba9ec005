package mutant

import (
	"fmt"
	"slices"

	"onnxmem/onnxgraph"
)

// A mutator changes the graphs of one model.
type mutator struct {
	c     *Choices
	model *onnxgraph.Model
	g     *onnxgraph.Graph // under way: the main graph or a body
}

// Mutate changes a model in up to n places and says what it did.
func Mutate(c *Choices, m *onnxgraph.Model, n int) []string {
	u := &mutator{c: c, model: m}
	var done []string
	for range n {
		if !c.Left() {
			break
		}
		u.g = pick(c, graphs(m))
		if what := pick(c, mutations)(u); what != "" {
			done = append(done, what)
		}
	}
	return done
}

// graphs lists the main graph and the bodies in it.
func graphs(m *onnxgraph.Model) []*onnxgraph.Graph {
	list := []*onnxgraph.Graph{m.Graph}
	for i := 0; i < len(list); i++ { // the list grows
		for _, n := range list[i].Nodes {
			for _, a := range n.Attributes {
				if a.Graph != nil {
					list = append(list, a.Graph)
				}
				list = append(list, a.Graphs...)
			}
		}
	}
	return list
}

// mutations are the kinds of changes; each says what it did, or nothing where
// it does not apply.
var mutations = []func(*mutator) string{
	(*mutator).dropNode, (*mutator).repeatNode, (*mutator).moveNode, (*mutator).renameOperator, (*mutator).changeDomain,
	(*mutator).dropInput, (*mutator).leaveInputOut, (*mutator).repeatInput, (*mutator).swapInputs, (*mutator).otherInput, (*mutator).otherInput, (*mutator).cycle,
	(*mutator).dropOutput, (*mutator).leaveOutputOut, (*mutator).sameOutput, (*mutator).moreOutputs,
	(*mutator).dropAttribute, (*mutator).changeAttribute, (*mutator).changeAttribute, (*mutator).renameAttribute,
	(*mutator).dropTensor, (*mutator).changeTensorDims, (*mutator).changeTensorType, (*mutator).renameTensor,
	(*mutator).dropGraphInput, (*mutator).dropGraphOutput, (*mutator).addGraphOutput, (*mutator).changeType, (*mutator).changeType, (*mutator).untype,
	(*mutator).changeOpset, (*mutator).nest, (*mutator).wrapInFunction, (*mutator).feedFromWeight, (*mutator).freezeInput,
}

func (u *mutator) node() *onnxgraph.Node {
	if i, ok := u.c.place(len(u.g.Nodes)); ok {
		return u.g.Nodes[i]
	}
	return new(onnxgraph.Node)
}

// names are the values that a node of the graph may read.
func (u *mutator) names() []string {
	names := []string{"", "nowhere"}
	for _, v := range u.g.Inputs {
		names = append(names, v.Name)
	}
	for _, t := range u.g.Initializers {
		names = append(names, t.Name)
	}
	for _, n := range u.g.Nodes {
		names = append(names, n.Outputs...)
	}
	return names
}

func say(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func (u *mutator) dropNode() string {
	i, ok := u.c.place(len(u.g.Nodes))
	if !ok {
		return ""
	}
	what := say("drop %s %d", u.g.Nodes[i].OpType, i)
	u.g.Nodes = slices.Delete(u.g.Nodes, i, i+1)
	return what
}

func (u *mutator) repeatNode() string {
	i, ok := u.c.place(len(u.g.Nodes))
	if !ok {
		return ""
	}
	n := copyNode(*u.g.Nodes[i])
	u.g.Nodes = slices.Insert(u.g.Nodes, u.c.Of(len(u.g.Nodes)+1), &n)
	return say("repeat %s %d", n.OpType, i)
}

func (u *mutator) moveNode() string {
	i, ok := u.c.place(len(u.g.Nodes))
	if !ok {
		return ""
	}
	n := u.g.Nodes[i]
	u.g.Nodes = slices.Delete(u.g.Nodes, i, i+1)
	u.g.Nodes = slices.Insert(u.g.Nodes, u.c.Of(len(u.g.Nodes)+1), n)
	return say("move %s %d", n.OpType, i)
}

// operators are names to give to nodes: those that folding, training or a
// runtime treats in a way of its own.
var operators = []string{
	"Add", "Mul", "MatMul", "Gemm", "Softmax", "Transpose", "Reshape", "Identity", "Constant", "Shape", "Gather", "Split", "Concat", "Cast", "Where", "Dropout",
	"LayerNormalization", "BatchNormalization", "InstanceNormalization", "ReduceMean", "Sqrt", "Pow", "Div", "Erf", "Tanh", "Sigmoid", "Clip", "Relu",
	"Attention", "RotaryEmbedding", "Loop", "If", "Scan", "Conv", "MaxPool", "LSTM", "Einsum", "TopK", "Slice", "Expand", "Squeeze", "Unsqueeze",
	"SequenceConstruct", "Optional", "QuantizeLinear", "DequantizeLinear", "HardSwish", "IsNaN", "Reciprocal", "ConstantOfShape", "NonZero", "Nowhere",
	"SkipLayerNormalization", "MultiHeadAttention", "FusedConv", "EmbedLayerNormalization", "SimplifiedLayerNormalization", "BiasGelu", "GroupQueryAttention",
}

func (u *mutator) renameOperator() string {
	n := u.node()
	was := n.OpType
	n.OpType = pick(u.c, operators)
	return say("%s becomes %s", was, n.OpType)
}

func (u *mutator) changeDomain() string {
	n := u.node()
	n.Domain = pick(u.c, []string{"", "ai.onnx", "com.microsoft", "ai.onnx.ml", "com.microsoft.nchwc", "nowhere"})
	return say("%s is of domain %q", n.OpType, n.Domain)
}

func (u *mutator) dropInput() string {
	n := u.node()
	if i, ok := u.c.place(len(n.Inputs)); ok {
		n.Inputs = slices.Delete(n.Inputs, i, i+1)
		return say("%s loses input %d", n.OpType, i)
	}
	return ""
}

func (u *mutator) leaveInputOut() string {
	n := u.node()
	if i, ok := u.c.place(len(n.Inputs)); ok {
		n.Inputs[i] = ""
		return say("input %d of %s is left out", i, n.OpType)
	}
	return ""
}

func (u *mutator) repeatInput() string {
	n := u.node()
	if i, ok := u.c.place(len(n.Inputs)); ok {
		n.Inputs = append(n.Inputs, n.Inputs[i])
		return say("%s reads input %d twice", n.OpType, i)
	}
	return ""
}

func (u *mutator) swapInputs() string {
	n := u.node()
	if len(n.Inputs) < 2 {
		return ""
	}
	i, k := u.c.Of(len(n.Inputs)), u.c.Of(len(n.Inputs))
	n.Inputs[i], n.Inputs[k] = n.Inputs[k], n.Inputs[i]
	return say("%s swaps inputs %d and %d", n.OpType, i, k)
}

func (u *mutator) otherInput() string {
	n := u.node()
	i, ok := u.c.place(len(n.Inputs))
	if !ok {
		return ""
	}
	n.Inputs[i] = pick(u.c, u.names())
	return say("input %d of %s is %q", i, n.OpType, n.Inputs[i])
}

// cycle lets a node read what hangs on its own output.
func (u *mutator) cycle() string {
	i, ok := u.c.place(len(u.g.Nodes))
	if !ok {
		return ""
	}
	n, later := u.g.Nodes[i], u.g.Nodes[i+u.c.Of(len(u.g.Nodes)-i)]
	slot, has := u.c.place(len(n.Inputs))
	out, makes := u.c.place(len(later.Outputs))
	if !has || !makes {
		return ""
	}
	n.Inputs[slot] = later.Outputs[out]
	return say("input %d of %s is %q, which comes later", slot, n.OpType, n.Inputs[slot])
}

func (u *mutator) dropOutput() string {
	n := u.node()
	if i, ok := u.c.place(len(n.Outputs)); ok {
		n.Outputs = slices.Delete(n.Outputs, i, i+1)
		return say("%s loses output %d", n.OpType, i)
	}
	return ""
}

func (u *mutator) leaveOutputOut() string {
	n := u.node()
	if i, ok := u.c.place(len(n.Outputs)); ok {
		n.Outputs[i] = ""
		return say("output %d of %s is left out", i, n.OpType)
	}
	return ""
}

// sameOutput gives a value a second maker.
func (u *mutator) sameOutput() string {
	n := u.node()
	if i, ok := u.c.place(len(n.Outputs)); ok {
		n.Outputs[i] = pick(u.c, u.names())
		return say("%s makes %q", n.OpType, n.Outputs[i])
	}
	return ""
}

func (u *mutator) moreOutputs() string {
	n := u.node()
	n.Outputs = append(n.Outputs, pick(u.c, []string{"", "more", "more2"}))
	return say("%s has %d outputs", n.OpType, len(n.Outputs))
}
