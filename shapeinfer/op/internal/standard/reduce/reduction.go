package reduce

import (
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/op/internal/standard/elementwise"
	"onnxmem/shapeinfer/tensor"
)

// This file computes one element from several: what reductions and cumulative
// operators do with each set.

func foldScalars(d onnxgraph.DType, calc *scalar.Arithmetic, start tensor.Scalar, xs []tensor.Scalar) tensor.Scalar {
	for _, x := range xs {
		start = calc.Apply(d, start, x)
	}
	return start
}

// sumScalars adds. The order in which a runtime adds floats is its own choice, so
// that a sum with a rounded step is unknown.
func sumScalars(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return inAnyOrder(d, &scalar.Addition, tensor.Int(0), xs)
}

func productScalars(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return inAnyOrder(d, &scalar.Multiplication, tensor.Int(1), xs)
}

// inAnyOrder folds, and knows the result only where no step is rounded.
func inAnyOrder(d onnxgraph.DType, calc *scalar.Arithmetic, start tensor.Scalar, xs []tensor.Scalar) tensor.Scalar {
	for _, x := range xs {
		start = unroundedStep(d, calc, start, x)
	}
	return start
}

// unroundedStep applies a sum or product; the result is unknown where floats
// are rounded.
func unroundedStep(d onnxgraph.DType, calc *scalar.Arithmetic, a, b tensor.Scalar) tensor.Scalar {
	r := calc.Apply(d, a, b)
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
	if calc.Floats(x, y) != f {
		return tensor.Scalar{}
	}
	return r
}

func smallInteger(f float64) bool { return f == math.Trunc(f) && math.Abs(f) <= 1<<53 }

func greatestScalar(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return extremeScalar(d, &scalar.Maximum, xs)
}

func leastScalar(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return extremeScalar(d, &scalar.Minimum, xs)
}

// extremeScalar is unknown for no elements, where the result is the least value of
// the type in one version and an error in others.
func extremeScalar(d onnxgraph.DType, calc *scalar.Arithmetic, xs []tensor.Scalar) tensor.Scalar {
	if len(xs) == 0 {
		return tensor.Scalar{}
	}
	if d == onnxgraph.Bool {
		return extremeBool(calc == &scalar.Maximum, xs)
	}
	return foldScalars(d, calc, xs[0], xs[1:])
}

func extremeBool(any bool, xs []tensor.Scalar) tensor.Scalar {
	combineTwo := elementwise.AndScalars
	if any {
		combineTwo = elementwise.OrScalars
	}
	x := xs[0]
	for _, y := range xs[1:] {
		x = combineTwo(x, y)
	}
	return x
}

func meanScalar(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return scalar.Division.Apply(d, sumScalars(d, xs), tensor.Int(int64(len(xs))))
}

func absoluteSumScalars(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return sumScalars(d, eachScalar(xs, func(x tensor.Scalar) tensor.Scalar { return elementwise.AbsScalar(d, x) }))
}

func squareSumScalars(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar {
	return sumScalars(d, eachScalar(xs, func(x tensor.Scalar) tensor.Scalar { return scalar.Multiplication.Apply(d, x, x) }))
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
