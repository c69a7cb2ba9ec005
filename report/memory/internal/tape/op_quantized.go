package tape

// quantizedRules are the products with weights that are stored in a few bits
// each. Nothing of the weights trains; factors beside them may (Dettmers et al.,
// QLoRA, 2023).
var quantizedRules = map[string]rule{
	"com.microsoft::MatMulNBits": quantizedProduct,
	"com.microsoft::MatMulBnb4":  quantizedProduct,
}

// quantizedProduct makes the weights floats for the time of the product, forward
// and, for the gradient of the rows, backward. It saves nothing, as every product
// with frozen weights.
func quantizedProduct(r *recorder, n *node) {
	x := r.operand(n, 0)
	dims := r.g.values.At(n.outs[0]).dims
	rows, columns := n.intAttr("K", 0), n.intAttr("N", 0)
	if rows < 1 || columns < 1 || rows > maxTensorBytes/columns || len(r.at(x).Dims) == 0 || len(dims) == 0 {
		r.other(n)
		return
	}
	size := r.at(x).Size
	if r.opts.Autocast {
		x, size = r.cast(x, 2), 2
	}
	unpacked := rows * columns * size
	r.count(&unpacked)
	y := r.emit(Op{Kind: "Mm", In: operands(x), Workspace: unpacked, BackwardWorkspace: unpacked, Grads: []Grad{{To: x, Rule: Fresh, Dense: true}}}, r.dense(dims, size))
	if r.opts.LoRARank > 0 {
		name := ""
		if v := n.in(1); !v.None() {
			name = r.g.values.At(v).name
		}
		y = r.besideWeights(x, y, name, rows, columns, size, dims)
	}
	r.bind(n, 0, y)
}
