package tape

import "math"

// geluErf finds x * 0.5 * (1 + erf(x / sqrt 2)), in the orders in which
// exporters write it.
func (m *matcher) geluErf(erf *node) {
	scaled := m.producer(erf.in(0), "Div", "Mul")
	if scaled == nil || m.reader(scaled.out(), "Erf") == nil {
		return
	}
	var x valueID
	switch {
	case scaled.op == "Div" && m.isNumber(scaled.in(1), math.Sqrt2):
		x = scaled.in(0)
	case scaled.op == "Mul" && m.isNumber(scaled.in(1), math.Sqrt2/2):
		x = scaled.in(0)
	case scaled.op == "Mul" && m.isNumber(scaled.in(0), math.Sqrt2/2):
		x = scaled.in(1)
	default:
		return
	}
	m.gelu(x, erf, scaled)
}

// gelu finds the rest of either form after the erf or tanh of x: one more, and
// the products with x and a half.
func (m *matcher) gelu(x valueID, curve *node, inner ...*node) bool {
	one := m.reader(curve.out(), "Add")
	if one == nil || !m.isNumber(one.other(curve.out()), 1) {
		return false
	}
	first := m.reader(one.out(), "Mul")
	if first == nil {
		return false
	}
	inner = append(inner, curve, one)
	by := first.other(one.out())
	if half := m.producer(by, "Mul"); half != nil && m.halves(half, x) {
		if m.reader(half.out(), "Mul") == nil {
			return false
		}
		m.unaryGroup("Gelu", x, first, append(inner, half)...)
		return true
	}
	last := m.reader(first.out(), "Mul")
	if last == nil {
		return false
	}
	rest := last.other(first.out())
	if by == x && m.isNumber(rest, 0.5) || rest == x && m.isNumber(by, 0.5) {
		m.unaryGroup("Gelu", x, last, append(inner, first)...)
		return true
	}
	return false
}

// halves reports whether a product is x by a half.
func (m *matcher) halves(n *node, x valueID) bool {
	return n.in(0) == x && m.isNumber(n.in(1), 0.5) || n.in(1) == x && m.isNumber(n.in(0), 0.5)
}

// unaryGroup makes nodes one function of x that saves its input.
func (m *matcher) unaryGroup(kind string, x valueID, last *node, inner ...*node) {
	m.claim(last, func(r *recorder, n *node) { r.bind(n, 0, r.unary(kind, r.of(x), false, 0, false)) }, inner...)
}

// tanh starts two functions: GELU's approximation and Mish.
func (m *matcher) tanh(n *node) {
	if soft := m.producer(n.in(0), "Softplus"); soft != nil && m.reader(soft.out(), "Tanh") != nil {
		x := soft.in(0)
		if last := m.reader(n.out(), "Mul"); last != nil && last.other(n.out()) == x {
			m.unaryGroup("Mish", x, last, soft, n)
		}
		return
	}
	m.geluTanh(n)
}

// geluTanh finds 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). TorchScript's
// exporter multiplies for the cube (torch/onnx/symbolic_opset9.py, gelu), which
// nobody writes in Python. With a power it is the exporter's where x meets the
// sum before it is halved (onnxscript, aten_gelu in
// function_libs/torch_lib/ops/nn.py: 0.5 * (x * (1 + tanh))). Models that write
// GELU in Python, which the framework runs as it stands, halve x first, since
// their formula reads from the left: 0.5 * x * (1 + tanh), as GPT-2's
// NewGELUActivation.
func (m *matcher) geluTanh(n *node) {
	scaled := m.producer(n.in(0), "Mul")
	if scaled == nil || m.reader(scaled.out(), "Tanh") == nil {
		return
	}
	sum := m.producer(scaled.in(0), "Add")
	if sum == nil {
		sum = m.producer(scaled.in(1), "Add")
	}
	if sum == nil || m.reader(sum.out(), "Mul") == nil || !m.isNumber(scaled.other(sum.out()), sqrt2OverPi) {
		return
	}
	for side := range 2 {
		x := sum.in(1 - side)
		weighted := m.producer(sum.in(side), "Mul")
		if weighted == nil || m.reader(weighted.out(), "Add") == nil {
			continue
		}
		for k := range 2 {
			if !m.isNumber(weighted.in(k), geluCubic) {
				continue
			}
			if inner, power := m.cube(weighted.in(1-k), x); inner != nil {
				if power && !m.meetsFirst(n, x) {
					return
				}
				m.gelu(x, n, append(inner, scaled, sum, weighted)...)
				return
			}
		}
	}
}

// The numbers of GELU's approximation (Hendrycks and Gimpel, Gaussian Error
// Linear Units, 2016).
const (
	sqrt2OverPi = 0.7978845608028654
	geluCubic   = 0.044715
)

// meetsFirst reports whether x is a factor of one more than a curve.
func (m *matcher) meetsFirst(curve *node, x valueID) bool {
	one := m.reader(curve.out(), "Add")
	if one == nil {
		return false
	}
	product := m.reader(one.out(), "Mul")
	return product != nil && product.other(one.out()) == x
}

// cube finds x^3; power says that it is a power and no product.
func (m *matcher) cube(v, x valueID) (inner []*node, power bool) {
	if p := m.producer(v, "Pow"); p != nil && p.in(0) == x && m.isNumber(p.in(1), 3) && m.reader(v, "Mul") != nil {
		return []*node{p}, true
	}
	p := m.producer(v, "Mul")
	if p == nil || m.reader(v, "Mul") == nil {
		return nil, false
	}
	for k := range 2 {
		square := m.producer(p.in(k), "Mul")
		if p.in(1-k) == x && square != nil && square.in(0) == x && square.in(1) == x && m.reader(square.out(), "Mul") != nil {
			return []*node{p, square}, false
		}
	}
	return nil, false
}

// silu finds x * sigmoid(x).
func (m *matcher) silu(n *node) {
	if last := m.reader(n.out(), "Mul"); last != nil && last.other(n.out()) == n.in(0) {
		m.unaryGroup("Silu", n.in(0), last, n)
	}
}

// hardSwish finds x * hardsigmoid(x).
func (m *matcher) hardSwish(n *node) {
	if last := m.reader(n.out(), "Mul"); last != nil && last.other(n.out()) == n.in(0) &&
		m.near(n.floatAttr("alpha", 0.2), 1.0/6) && m.near(n.floatAttr("beta", 0.5), 0.5) {
		m.unaryGroup("Hardswish", n.in(0), last, n)
	}
}

// near reports whether an attribute is a number, as far as texts that write a
// sixth as 0.1667 have it.
func (m *matcher) near(a float32, b float64) bool { return math.Abs(float64(a)-b) < 1e-4 }

// clipped finds the expansions of hard-sigmoid, clip(x + 3, 0, 6) / 6, and of
// hard-swish, which is x times that.
func (m *matcher) clipped(n *node) {
	plus := m.producer(n.in(0), "Add")
	if plus == nil || m.reader(plus.out(), "Clip") == nil || !m.fromZero(n) {
		return
	}
	var x valueID
	for k := range 2 {
		if m.isNumber(plus.in(k), 3) {
			x = plus.in(1 - k)
		}
	}
	if x.None() || !m.upTo6(n) {
		return
	}
	if sixth := m.sixth(n.out()); sixth != nil {
		if last := m.reader(sixth.out(), "Mul"); last != nil && last.other(sixth.out()) == x {
			m.unaryGroup("Hardswish", x, last, plus, n, sixth)
			return
		}
		m.unaryGroup("Hardsigmoid", x, sixth, plus, n)
		return
	}
	if times := m.reader(n.out(), "Mul"); times != nil && times.other(n.out()) == x {
		if last := m.sixth(times.out()); last != nil {
			m.unaryGroup("Hardswish", x, last, plus, n, times)
		}
	}
}

func (m *matcher) fromZero(n *node) bool {
	if len(n.ins) > 1 {
		return m.isNumber(n.in(1), 0)
	}
	return n.floatAttr("min", -1) == 0
}

// sixth is the reader of a value that divides it by six.
func (m *matcher) sixth(v valueID) *node {
	if d := m.reader(v, "Div"); d != nil && d.in(0) == v && m.isNumber(d.in(1), 6) {
		return d
	}
	if d := m.reader(v, "Mul"); d != nil && m.isNumber(d.other(v), 1.0/6) {
		return d
	}
	return nil
}

func (m *matcher) upTo6(n *node) bool {
	if !n.in(2).None() {
		return m.isNumber(n.in(2), 6)
	}
	return n.floatAttr("max", 0) == 6
}

// rsqrt finds 1 / sqrt(x), which saves its result only.
func (m *matcher) rsqrt(n *node) {
	root := m.producer(n.in(0), "Sqrt")
	if root == nil || m.reader(root.out(), "Reciprocal") == nil {
		return
	}
	x := root.in(0)
	m.claim(n, func(r *recorder, n *node) { r.bind(n, 0, r.unary("Rsqrt", r.of(x), true, 2, false)) }, root)
}
