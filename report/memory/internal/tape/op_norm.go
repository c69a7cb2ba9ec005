package tape

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory/weights"
)

// normRules are the normalisations.
var normRules = map[string]rule{
	"BatchNormalization":    batchNormalization,
	"LayerNormalization":    layerNormalization,
	"GroupNormalization":    groupNormalization,
	"InstanceNormalization": instanceNormalization,
	"RMSNormalization":      rmsNormalization,
	"LRN":                   localResponse,
	"LpNormalization":       lpNormalization,
	"MeanVarianceNormalization": func(r *recorder, n *node) {
		r.bind(n, 0, r.layerNorm(n, r.operand(n, 0), VarID{}, VarID{}, 1))
	},
}

// A foldedNorm is a BatchNormalization that came back: its parameters.
// bias is one of the convolution's own, which the file lacks, too.
type foldedNorm struct{ scale, shift, bias VarID }

// storedBehind is the stored tensor that a value is, through operators that
// hand weights on.
func (r *recorder) storedBehind(v valueID) *onnxgraph.Tensor {
	for hops := 0; !v.None() && hops < 16; hops++ {
		x := r.g.values.At(v)
		if x.stored != nil {
			return x.stored
		}
		if x.producer.None() || !r.g.nodes.At(x.producer).keepsElements() {
			return nil
		}
		v = r.g.nodes.At(x.producer).in(0)
	}
	return nil
}

// foldedNorm returns the normalisation that was folded into a convolution of
// that weight, nil where there was none. Its scale is a parameter that the
// file lacks.
func (r *recorder) foldedNorm(weight *onnxgraph.Tensor, bias VarID) *foldedNorm {
	f := r.folded[weight]
	if f == nil || weight == nil || bias.None() {
		return nil
	}
	if done, ok := r.bnDone[weight]; ok {
		return &done
	}
	size := r.at(bias).Size
	name := "BatchNormalization"
	if w := r.weights[weight]; w != nil {
		name = w.Name + " (folded scale)"
	}
	made := r.made
	trains := r.opts.LoRARank == 0
	if p, ok := r.params[weight]; ok && !r.needs(p) {
		trains = false
	}
	norm := foldedNorm{scale: r.param(name, []int64{f.Channels}, size, trains), shift: bias}
	if f.OwnBias {
		norm.bias = r.param(name+" (bias)", []int64{f.Channels}, size, trains)
	}
	r.made = made
	r.t.BufferBytes += 2*f.Channels*size + 8 // mean, variance and the number of batches
	r.t.FoldedBatchNorms++
	r.bnDone[weight] = norm
	return &norm
}

func batchNormalization(r *recorder, n *node) {
	x := r.operand(n, 0)
	if v := n.in(3); !v.None() {
		if w := r.weights[r.storedBehind(v)]; w != nil && w.Role == weights.Buffer {
			r.t.BufferBytes += 8 // the number of batches, which exports leave out
		}
	}
	r.bind(n, 0, r.batchNorm(x, r.operand(n, 1), r.operand(n, 2)))
}

// batchNorm keeps its input and the mean and inverse deviation of each
// channel.
func (r *recorder) batchNorm(x, scale, shift VarID) VarID {
	t := r.at(x).Tensor
	channels := int64(1)
	if len(t.Dims) > 1 {
		channels = t.Dims[1]
	}
	out := r.like(&t, t.Size)
	stats := r.small(2 * channels * t.Size)
	return r.emit(Op{Kind: "NativeBatchNorm", In: operands(x, scale, shift), Saved: []StorageID{r.hold(x), stats},
		Grads: []Grad{{To: x, Rule: Fresh}, {To: scale, Rule: Fresh}, {To: shift, Rule: Fresh}}}, out)
}

func layerNormalization(r *recorder, n *node) {
	x := r.operand(n, 0)
	axis := n.intAttr("axis", -1)
	if axis < 0 {
		axis += int64(len(r.at(x).Dims))
	}
	r.bind(n, 0, r.layerNorm(n, x, r.operand(n, 1), r.operand(n, 2), axis))
}

// layerNorm keeps its input, of a view the whole storage, and the mean and
// inverse deviation of each row. Windows cut out of an image along more than
// one axis are kept as a copy: what follows could not look at them otherwise,
// so that models make them contiguous, which an export does not show.
func (r *recorder) layerNorm(n *node, x, scale, shift VarID, axis int64) VarID {
	if r.opts.Autocast {
		x = r.cast(x, 4)
	}
	t := r.at(x).Tensor
	if axis < 0 || axis > int64(len(t.Dims)) {
		r.invalid("axis %d is out of range", axis)
		return x
	}
	rows := product64(t.Dims[:axis])
	kept := r.hold(x)
	if t.gaps() > 1 {
		kept = r.small(t.Bytes())
	}
	stats := r.small(2 * rows * t.Size)
	out := r.dense(t.Dims, t.Size)
	return r.emit(Op{Kind: "NativeLayerNorm", In: operands(x, scale, shift), Saved: []StorageID{kept, stats},
		Grads: []Grad{{To: x, Rule: Fresh, Dense: true}, {To: scale, Rule: Fresh}, {To: shift, Rule: Fresh}}}, out)
}

func groupNormalization(r *recorder, n *node) {
	r.bind(n, 0, r.groupNorm(r.operand(n, 0), r.operand(n, 1), r.operand(n, 2), n.intAttr("num_groups", 1)))
}

func (r *recorder) groupNorm(x, scale, shift VarID, groups int64) VarID {
	t := r.at(x).Tensor
	if len(t.Dims) == 0 {
		return x
	}
	stats := r.small(2 * t.Dims[0] * max(groups, 1) * t.Size)
	return r.emit(Op{Kind: "NativeGroupNorm", In: operands(x, scale, shift), Saved: []StorageID{r.hold(x), stats},
		Grads: []Grad{{To: x, Rule: Fresh}, {To: scale, Rule: Fresh}, {To: shift, Rule: Fresh}}}, r.like(&t, t.Size))
}

func instanceNormalization(r *recorder, n *node) {
	x := r.operand(n, 0)
	t := r.at(x).Tensor
	if len(t.Dims) < 2 {
		r.other(n)
		return
	}
	rows := t.Dims[0] * t.Dims[1]
	stats := r.small(3 * rows * t.Size) // mean, inverse deviation, the repeated scale
	r.bind(n, 0, r.emit(Op{Kind: "NativeBatchNorm", In: operands(x, r.operand(n, 1), r.operand(n, 2)), Saved: []StorageID{r.hold(x), stats},
		Grads: []Grad{{To: x, Rule: Fresh}, {To: r.operand(n, 1), Rule: Fresh}, {To: r.operand(n, 2), Rule: Fresh}}}, r.like(&t, t.Size)))
}

func rmsNormalization(r *recorder, n *node) {
	x := r.operand(n, 0)
	axis := n.intAttr("axis", -1)
	if rank := int64(len(r.at(x).Dims)); axis < 0 {
		axis += rank
	}
	if axis < 0 || axis > int64(len(r.at(x).Dims)) {
		r.other(n)
		return
	}
	r.bind(n, 0, r.rmsNorm(n, x, r.operand(n, 1), axis))
}

// rmsNorm is x * rsqrt(mean(x^2)) * scale over the axes from axis on, which keeps
// x, the factor of each row and, for the scale's gradient, the product.
func (r *recorder) rmsNorm(n *node, x, scale VarID, axis int64) VarID {
	t := r.at(x).Tensor
	if r.opts.Half {
		rows := append(append([]int64{}, t.Dims[:axis]...), 1)
		return r.multiply(n, scale, r.wideRMSNorm(x, rows))
	}
	factor, normed := r.small(product64(t.Dims[:axis])*t.Size), r.dense(t.Dims, t.Size)
	op := Op{Kind: "Mul", In: operands(x, scale), Saved: []StorageID{r.hold(x), factor}, BackwardScratch: 2 * t.Bytes(),
		Grads: []Grad{{To: x, Rule: Fresh}, {To: scale, Rule: Full}}}
	if r.needs(scale) {
		op.Saved = append(op.Saved, normed.Storage)
	}
	return r.emit(op, r.dense(t.Dims, t.Size))
}

// localResponse keeps the squares, their padded sums, the powers and the
// operands of the quotient.
func localResponse(r *recorder, n *node) {
	x := r.operand(n, 0)
	t := r.at(x).Tensor
	kept := []StorageID{r.hold(x)}
	for range 3 {
		kept = append(kept, r.small(t.Bytes()))
	}
	r.bind(n, 0, r.emit(Op{Kind: "Div", In: operands(x), Saved: kept, BackwardScratch: 2 * t.Bytes(), Grads: []Grad{{To: x, Rule: Fresh}}}, r.like(&t, t.Size)))
}

func lpNormalization(r *recorder, n *node) {
	x := r.operand(n, 0)
	t := r.at(x).Tensor
	axis := n.intAttr("axis", -1)
	if axis < 0 {
		axis += int64(len(t.Dims))
	}
	if axis < 0 || axis >= int64(len(t.Dims)) || t.Dims[axis] == 0 {
		r.other(n)
		return
	}
	norm := r.small(t.Bytes() / t.Dims[axis])
	r.bind(n, 0, r.emit(Op{Kind: "LinalgVectorNorm", In: operands(x), Saved: []StorageID{r.hold(x), norm}, BackwardScratch: 2 * t.Bytes(), Grads: []Grad{{To: x, Rule: Fresh}}}, r.like(&t, t.Size)))
}
