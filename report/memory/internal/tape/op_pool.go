package tape

// poolRules are the poolings and resizings.
var poolRules = map[string]rule{
	"MaxPool":           maxPool,
	"GlobalMaxPool":     maxPool,
	"AveragePool":       savingInput("AvgPool2D"),
	"GlobalAveragePool": fresh("Mean"),
	"LpPool":            savingInput("Pow"),
	"GlobalLpPool":      savingInput("Pow"),
	"Resize":            fresh("Upsample"),
	"Upsample":          fresh("Upsample"),
	"Pad":               pad,
	"GridSample":        gridSample,
	"DepthToSpace":      fresh("PixelShuffle"),
	"SpaceToDepth":      fresh("PixelUnshuffle"),
	"Tile":              fresh("Repeat"),
	"CumSum":            fresh("Cumsum"),
	"Trilu":             fresh("Tril"),
	"Col2Im":            fresh("Col2Im"),
	"ReverseSequence":   fresh("Flip"),
	"RoiAlign":          fresh("RoiAlign"),
	"MaxRoiPool":        savingInput("RoiPool"),
}

// maxPool saves its input and, of each result, which element it was: 8 bytes.
func maxPool(r *recorder, n *node) {
	x := r.operand(n, 0)
	out := r.pooled(n, x)
	where := r.small(8 * out.Elements())
	kind := "MaxPool2DWithIndices" // of one axis, too
	if len(out.Dims) == 5 {
		kind = "MaxPool3DWithIndices"
	}
	r.bind(n, 0, r.emit(Op{Kind: kind, In: operands(x), Saved: []StorageID{r.saved(x), where}, Grads: []Grad{{To: x, Rule: Fresh}}}, out))
	if v := n.outs; len(v) > 1 && !v[1].None() {
		r.bind(n, 1, r.variable(Tensor{Dims: out.Dims, Strides: contiguousStrides(out.Dims), Storage: where, Size: 8}, false))
	}
}

// pooled is a new tensor for the result, channels last where the input is.
func (r *recorder) pooled(n *node, x VarID) Tensor {
	out := r.dense(r.g.values.At(n.outs[0]).dims, r.at(x).Size)
	if len(out.Dims) == 4 && r.at(x).channelsLast() {
		out.Strides = channelsLastStrides(out.Dims)
	}
	return out
}

// savingInput is an operator of one tensor that saves it.
func savingInput(kind string) rule {
	return func(r *recorder, n *node) {
		x := r.operand(n, 0)
		r.bind(n, 0, r.emit(Op{Kind: kind, In: operands(x), Saved: []StorageID{r.saved(x)}, Grads: []Grad{{To: x, Rule: Fresh}}}, r.pooled(n, x)))
	}
}

// fresh is an operator of one tensor whose derivative needs only sizes.
func fresh(kind string) rule {
	return func(r *recorder, n *node) {
		x := r.operand(n, 0)
		r.bind(n, 0, r.emit(Op{Kind: kind, In: operands(x), Grads: []Grad{{To: x, Rule: Fresh}}}, r.pooled(n, x)))
	}
}

// pad by reflection or repetition saves its input.
func pad(r *recorder, n *node) {
	if n.stringAttr("mode", "constant") == "constant" {
		fresh("ConstantPadNd")(r, n)
		return
	}
	savingInput("ReflectionPad2D")(r, n)
}

func gridSample(r *recorder, n *node) {
	x, grid := r.operand(n, 0), r.operand(n, 1)
	r.bind(n, 0, r.emit(Op{Kind: "GridSampler2D", In: operands(x, grid), Saved: []StorageID{r.saved(x), r.saved(grid)},
		Grads: []Grad{{To: x, Rule: Fresh}, {To: grid, Rule: Fresh}}}, r.pooled(n, x)))
}
