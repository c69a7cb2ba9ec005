package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/attention"
	"onnxmem/shapeinfer/op/internal/standard/nn"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft that carry a state from call
// to call: causal convolutions and linear recurrences
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribStateOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "CausalConvWithState", Versions: []int{1}, Infer: causalConvState, MACs: causalConvStateMACs},
	{Domain: op.DomainMicrosoft, Name: "ConvStateReplay", Versions: []int{1}, Infer: op.Like(2), Views: viewOfDestination},
	{Domain: op.DomainMicrosoft, Name: "GatedDeltaNet", Versions: []int{1}, Infer: gatedDeltaNet, MACs: gatedDeltaNetMACs},
	{Domain: op.DomainMicrosoft, Name: "GatedDeltaNetStateReplay", Versions: []int{1}, Infer: op.Like(2), Views: viewOfDestination},
	{Domain: op.DomainMicrosoft, Name: "LinearAttention", Versions: []int{1}, Infer: linearAttentionContrib, MACs: linearAttentionContribMACs},
	{Domain: op.DomainMicrosoft, Name: "LinearAttentionGate", Versions: []int{1}, Infer: linearAttentionGate},
	{Domain: op.DomainMicrosoft, Name: "Mamba2Verify", Versions: []int{1}, Infer: mamba2Verify, MACs: mamba2VerifyMACs},
	{Domain: op.DomainMicrosoft, Name: "VarlenCausalConvWithState", Versions: []int{1}, Infer: varlenCausalConv, MACs: causalConvStateMACs},
}

// viewOfDestination: the replay is written into input 2.
var viewOfDestination = []op.View{{Output: 0, Input: 2}}

// withWindow puts the axis of state_window in front of a state, where there is
// one: the states after so many of the last positions.
func withWindow(c *op.Call, dims ...dim.Dim) (tensor.Shape, error) {
	n := c.Int("state_window", 0)
	if n < 0 {
		return tensor.Shape{}, c.Errorf(op.CodeAttribute, "state_window is %d", n)
	}
	if n > 0 {
		dims = append([]dim.Dim{dim.Int(n)}, dims...)
	}
	return tensor.MakeShape(dims...), nil
}

// carried is how many positions a causal convolution looks back:
// (kernel - 1)*dilation.
func carried(c *op.Call, weight tensor.Shape) dim.Dim {
	return dim.Mul(dim.Sub(weight.At(-1), dim.Int(1)), dim.Int(c.Int("dilation", 1)))
}

// causalConvState: the input is batch x channels x ... x length, or with
// channels_last batch x length x channels, and the state holds the carried
// positions in place of the length.
func causalConvState(c *op.Call) error {
	x, d := c.Shape(0), c.DType(0)
	for o := range 3 {
		c.Set(o, d, tensor.Shape{})
	}
	if !x.Ranked() {
		return nil
	}
	if err := c.CheckImageRank("input", x); err != nil {
		return err
	}
	if n := c.Int("dilation", 1); n < 1 {
		return c.Errorf(op.CodeAttribute, "dilation is %d", n)
	}
	state := carried(c, c.Shape(1))
	if n := c.Int("state_length", 0); n > 0 {
		state = dim.Int(n)
	}
	last := c.Flag("channels_last", false)
	y := x
	if n := c.Int("input_channels", 0); n > 0 && last {
		y = op.WithLastDim(x, dim.Int(n))
	}
	c.Set(0, d, y)
	present, err := causalState(c, y, state, last)
	c.Set(1, d, present)
	if err != nil {
		return err
	}
	if n := c.Int("state_update_capacity", 0); n > 0 {
		c.Set(2, d, tensor.MakeShape(x.At(0), dim.Int(n), y.At(-1)))
	}
	return nil
}

// causalState is the shape of the state; state_channels_last 0 and 1 override
// the layout of the input.
func causalState(c *op.Call, y tensor.Shape, state dim.Dim, last bool) (tensor.Shape, error) {
	channels := y.At(1)
	if last {
		channels = y.At(-1)
	}
	switch layout := c.Int("state_channels_last", -1); {
	case layout == 0 && last:
		return withWindow(c, y.At(0), channels, state)
	case layout == 1 && !last:
		return withWindow(c, y.At(0), state, channels)
	}
	dims := y.Clone()
	if last {
		dims[1] = state
	} else {
		dims[len(dims)-1] = state
	}
	return withWindow(c, dims...)
}

// causalConvStateMACs: every output element sums over the kernel of its
// channel.
func causalConvStateMACs(c *op.Call) dim.Dim {
	return nn.FilterMACs(c.Outputs[0].Type.Shape, c.Shape(1))
}

// varlenCausalConv works on tokens x channels of several sequences one after
// the other, with a state for each.
func varlenCausalConv(c *op.Call) error {
	x, d, state := c.Shape(0), c.DType(0), c.Shape(4)
	c.Set(0, d, x)
	c.Set(1, d, tensor.RankOnly(3))
	c.Set(2, d, tensor.RankOnly(3))
	if err := c.CheckRank(0, "input", 2); err != nil {
		return err
	}
	if err := c.CheckRank(4, "initial_state", 3); err != nil {
		return err
	}
	batch, channels, length := state.At(0), x.At(1), carried(c, c.Shape(1))
	for _, fact := range []struct {
		what  string
		into  *dim.Dim
		other dim.Dim
	}{
		{"sequences and initial_state", &batch, dim.Sub(c.Shape(2).At(0), dim.Int(1))},
		{"channels of input and weight", &channels, c.Shape(1).At(0)},
		{"channels and initial_state", &channels, state.At(1)},
		{"carried positions and initial_state", &length, state.At(2)},
	} {
		if err := c.MergeSize(fact.what, fact.into, fact.other); err != nil {
			return err
		}
	}
	c.Set(1, d, tensor.MakeShape(batch, channels, length))
	c.Set(2, d, tensor.MakeShape(batch, dim.Int(c.Int("state_update_capacity", 0)), channels))
	return nil
}

// linearAttentionContrib: as LinearAttention of the default domain; the key
// heads may also be fewer than those of the state, and the output has the heads
// of whichever side has more.
func linearAttentionContrib(c *op.Call) error {
	d := c.DType(0)
	stateType := c.DtypeOr(attention.LinearPast, d)
	c.Set(0, d, tensor.RankOnly(3))
	c.Set(1, stateType, tensor.Shape{})
	q, kv, err := linearHeadCounts(c)
	if err != nil {
		return err
	}
	for i := range 3 {
		if err := c.CheckRank(i, "query, key or value", 3); err != nil {
			return err
		}
	}
	x := c.Shape(0)
	keySize, err := c.DivideEvenly("last axis of query by q_num_heads", x.At(2), dim.Int(q))
	if err != nil {
		return err
	}
	valueSize, err := c.DivideEvenly("last axis of value by kv_num_heads", c.Shape(2).At(2), dim.Int(kv))
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.MakeShape(x.At(0), x.At(1), dim.Mul(dim.Int(max(q, kv)), valueSize)))
	state, err := withWindow(c, x.At(0), dim.Int(kv), keySize, valueSize)
	c.Set(1, stateType, state)
	return err
}

func linearHeadCounts(c *op.Call) (q, kv int64, err error) {
	q, kv = c.Int("q_num_heads", 0), c.Int("kv_num_heads", 0)
	if q < 1 || kv < 1 || q%kv != 0 && kv%q != 0 {
		return 0, 0, c.Errorf(op.CodeAttribute, "one of q_num_heads %d and kv_num_heads %d must be a multiple of the other", q, kv)
	}
	return q, kv, nil
}

// linearAttentionContribMACs: as linearAttentionMACs.
func linearAttentionContribMACs(c *op.Call) dim.Dim {
	q, kv, err := linearHeadCounts(c)
	if err != nil {
		return dim.Unknown()
	}
	products := max(q, kv) + kv
	if _, delta, _ := attention.LinearRule(c.Str("update_rule", "gated_delta")); delta {
		products += kv
	}
	x := c.Shape(0)
	keySize, valueSize := dim.Div(x.At(2), dim.Int(q)), dim.Div(c.Shape(2).At(2), dim.Int(kv))
	return dim.Product(op.LeadingElements(x), dim.Int(products), keySize, valueSize)
}

// linearAttentionGate: decay is like a, beta like b.
func linearAttentionGate(c *op.Call) error {
	c.SetLike(0, 0)
	c.SetLike(1, 3)
	return nil
}

// Slots of GatedDeltaNet.
const (
	deltaOffsets = 3
	deltaDecay   = 4
	deltaState   = 6
)

// A deltaNet holds the sizes of a gated delta network.
type deltaNet struct {
	tokens             []dim.Dim // one axis of tokens, or batch and sequence
	batch              dim.Dim
	keyHeads, heads    dim.Dim // of query and key; of value, state and output
	keySize, valueSize dim.Dim
}

// deltaNetOf reads the sizes from query, key and value, tokens x heads x size,
// or, where all are packed in query, from the state, batch x heads x value size
// x key size.
func deltaNetOf(c *op.Call) (*deltaNet, error) {
	q, v, state := c.Shape(0), c.Shape(2), c.Shape(deltaState)
	if err := c.CheckRank(deltaState, "initial_state", 4); err != nil {
		return nil, err
	}
	net := &deltaNet{batch: state.At(0), heads: state.At(1), valueSize: state.At(2), keySize: state.At(3)}
	if err := c.MergeSize("sequences and cu_seqlens", &net.batch, dim.Sub(c.Shape(deltaOffsets).At(0), dim.Int(1))); err != nil {
		return nil, err
	}
	axes := 2 // heads and size
	if !c.Has(1) {
		axes = 1
	}
	if !q.Ranked() {
		return net, nil
	}
	if n := q.Rank() - axes; n != 1 && n != 2 {
		return nil, c.Errorf(op.CodeRank, "query %s has %d axes of tokens, not 1 or 2", q, n)
	}
	net.tokens = q.Dims()[:q.Rank()-axes]
	if len(net.tokens) == 2 {
		if err := c.MergeSize("batch size and state", &net.batch, net.tokens[0]); err != nil {
			return nil, err
		}
	}
	if !c.Has(1) {
		values := dim.Mul(net.heads, net.valueSize)
		net.keyHeads = dim.Div(dim.Sub(q.At(-1), values), dim.Mul(dim.Int(2), net.keySize))
		return net, nil
	}
	net.keyHeads = q.At(-2)
	for _, fact := range []struct {
		what  string
		into  *dim.Dim
		other dim.Dim
	}{
		{"key size and state", &net.keySize, q.At(-1)},
		{"heads of value and state", &net.heads, v.At(-2)},
		{"value size and state", &net.valueSize, v.At(-1)},
	} {
		if err := c.MergeSize(fact.what, fact.into, fact.other); err != nil {
			return nil, err
		}
	}
	return net, nil
}

// gatedDeltaNet: the output is tokens x heads x value size, the state as it
// came, and the compact updates one row a sequence.
func gatedDeltaNet(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.Shape{})
	c.Set(1, onnxgraph.Float, tensor.RankOnly(4))
	c.Set(2, onnxgraph.Float, tensor.RankOnly(2))
	net, err := deltaNetOf(c)
	if err != nil {
		return err
	}
	c.Set(1, onnxgraph.Float, tensor.MakeShape(net.batch, net.heads, net.valueSize, net.keySize))
	if net.tokens == nil {
		return nil
	}
	out := append(append(make([]dim.Dim, 0, 4), net.tokens...), net.heads, net.valueSize)
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	// An update holds the decay, one a head or one a channel of its key, the
	// key, and the change of the value.
	decay := net.heads
	switch rank := c.Shape(deltaDecay).Rank(); {
	case rank == len(net.tokens)+2:
		decay = dim.Mul(net.heads, net.keySize)
	case rank < 0 && c.Has(deltaDecay):
		decay = dim.Unknown()
	}
	width := dim.Sum(decay, dim.Mul(net.keyHeads, net.keySize), dim.Mul(net.heads, net.valueSize))
	capacity := dim.Int(c.Int("state_update_capacity", 0))
	c.Set(2, onnxgraph.Float, tensor.MakeShape(net.batch, dim.Mul(capacity, width)))
	return nil
}

// gatedDeltaNetMACs counts, a token and head, the outer product into the state,
// the query's product with it, and with the delta rules the key's.
func gatedDeltaNetMACs(c *op.Call) dim.Dim {
	net, err := deltaNetOf(c)
	if err != nil || net.tokens == nil {
		return dim.Unknown()
	}
	products := int64(2)
	if _, delta, _ := attention.LinearRule(c.Str("update_rule", "gated_delta")); delta {
		products++
	}
	return dim.Product(dim.Product(net.tokens...), net.heads, dim.Int(products), net.keySize, net.valueSize)
}

// mambaSizes are di = heads*head_dim, and the channels of the convolution, di +
// 2*n_groups*d_state.
func mambaSizes(c *op.Call) (inner, channels dim.Dim) {
	inner = dim.Mul(dim.Int(c.Int("heads", 0)), dim.Int(c.Int("head_dim", 64)))
	groups := dim.Mul(dim.Int(c.Int("n_groups", 0)), dim.Int(c.Int("d_state", 128)))
	return inner, dim.Add(inner, dim.Mul(dim.Int(2), groups))
}

// mamba2Verify works on rows x width and updates snapshots of both states.
func mamba2Verify(c *op.Call) error {
	rows := c.Shape(0).At(0)
	inner, channels := mambaSizes(c)
	c.Set(0, c.DType(0), tensor.MakeShape(rows, inner))
	c.SetLike(1, 1)
	c.SetLike(2, 2)
	c.Set(3, c.DType(0), tensor.MakeShape(rows, channels))
	c.Set(4, onnxgraph.Float, tensor.MakeShape(rows, inner))
	if n, ok := inner.Int(); !ok || n < 1 || !op.IsNonNegative(dim.Sub(channels, inner)) {
		return c.Errorf(op.CodeAttribute, "heads, head_dim, n_groups and d_state give %s channels", channels)
	}
	return c.CheckRank(0, "projection", 2)
}

// mamba2VerifyMACs counts, a row, four taps of each channel and the products of
// the state with B and with C.
func mamba2VerifyMACs(c *op.Call) dim.Dim {
	inner, channels := mambaSizes(c)
	return dim.Mul(c.Shape(0).At(0), dim.Add(dim.Mul(dim.Int(4), channels), dim.Product(dim.Int(2), inner, dim.Int(c.Int("d_state", 128)))))
}
