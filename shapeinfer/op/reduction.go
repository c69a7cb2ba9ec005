package op

import (
	"math"

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
	for _, x := range xs {
		start = unroundedStep(d, op, start, x)
	}
	return start
}

// unroundedStep applies a sum or product; the result is unknown where floats
// are rounded.
func unroundedStep(d onnxgraph.DType, op *arithmetic, a, b tensor.Scalar) tensor.Scalar {
	r := op.apply(d, a, b)
	f, known := r.Float64()
	if !d.IsFloat() || !known {
		return r
	}
	// A float64 holds every product of two narrower floats, and every sum that
	// is one itself. Of DOUBLE itself only integers show that they were exact.
	x, _ := a.Float64()
	y, _ := b.Float64()
	if d == onnxgraph.Double && !(smallInteger(x) && smallInteger(y) && smallInteger(f)) {
		return tensor.Scalar{}
	}
	if op.floats(x, y) != f {
		return tensor.Scalar{}
	}
	return r
}

func smallInteger(f float64) bool { return f == math.Trunc(f) && math.Abs(f) <= 1<<53 }

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
