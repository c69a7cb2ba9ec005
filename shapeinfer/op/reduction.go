package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// This file computes one element from several: what reductions and cumulative
// operators do with each set.

func foldScalars(d onnxgraph.DType, op *arithmetic, start tensor.Scalar, xs []tensor.Scalar) tensor.Scalar {
	for _, x := range xs {
		start = op.apply(d, start, x)
	}
	return start
}

// sumScalars adds. The order in which a runtime adds floats is its own choice, so
// that a sum with a rounded step is unknown.
func sumScalars(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return inAnyOrder(d, &addition, tensor.Int(0), xs)
}

func productScalars(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return inAnyOrder(d, &multiplication, tensor.Int(1), xs)
}

// inAnyOrder folds, and knows the result only where no step is rounded.
func inAnyOrder(d onnxgraph.DType, op *arithmetic, start tensor.Scalar, xs []tensor.Scalar) tensor.Scalar {
	if !d.IsFloat() {
		return foldScalars(d, op, start, xs)
	}
	for _, x := range xs {
		next := op.apply(d, start, x)
		if f, ok := next.Float64(); ok {
			// A float64 holds every sum and product of two narrower floats.
			a, _ := start.Float64()
			b, _ := x.Float64()
			if d == onnxgraph.Double && (a != float64(int64(a)) || b != float64(int64(b))) {
				return tensor.Scalar{}
			}
			if op.floats(a, b) != f {
				return tensor.Scalar{}
			}
		}
		start = next
	}
	return start
}

func greatestScalar(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return extremeScalar(d, &maximum, xs)
}

func leastScalar(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return extremeScalar(d, &minimum, xs)
}

// extremeScalar is unknown for no elements, where the result is the least value of
// the type in one version and an error in others.
func extremeScalar(d onnxgraph.DType, op *arithmetic, xs []tensor.Scalar) tensor.Scalar {
	if len(xs) == 0 {
		return tensor.Scalar{}
	}
	if d == onnxgraph.Bool {
		return extremeBool(op == &maximum, xs)
	}
	return foldScalars(d, op, xs[0], xs[1:])
}

func extremeBool(any bool, xs []tensor.Scalar) tensor.Scalar {
	combineTwo := andScalars
	if any {
		combineTwo = orScalars
	}
	x := xs[0]
	for _, y := range xs[1:] {
		x = combineTwo(x, y)
	}
	return x
}

func meanScalar(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return division.apply(d, sumScalars(d, xs), tensor.Int(int64(len(xs))))
}

func absoluteSumScalars(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return sumScalars(d, eachScalar(xs, func(x tensor.Scalar) tensor.Scalar { return absScalar(d, x) }))
}

func squareSumScalars(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return sumScalars(d, eachScalar(xs, func(x tensor.Scalar) tensor.Scalar { return multiplication.apply(d, x, x) }))
}

func eachScalar(xs []tensor.Scalar, f func(x tensor.Scalar) tensor.Scalar) []tensor.Scalar {
	out := make([]tensor.Scalar, len(xs))
	for i, x := range xs {
		if x.IsKnown() {
			out[i] = f(x)
		}
	}
	return out
}
