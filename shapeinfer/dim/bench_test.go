package dim_test

import (
	"testing"
	"unsafe"

	"onnxmem/shapeinfer/dim"
)

// sink keeps the compiler from dropping what is measured.
var sink dim.Dim

func constants() dim.Dim {
	d := dim.Add(dim.Int(224), dim.Int(6))
	d = dim.Sub(d, dim.Int(7))
	d = dim.Add(dim.FloorDiv(d, dim.Int(2)), dim.Int(1))
	d = dim.Mul(d, dim.Mod(dim.CeilDiv(d, dim.Int(3)), dim.Int(5)))
	d = dim.Min(dim.Max(d, dim.Neg(dim.Int(4))), dim.Int(1000))
	d = dim.Abs(dim.Round(dim.Trunc(dim.Ceil(dim.Floor(d)))))
	return dim.Product(dim.Sum(d, d), dim.Pow(d, 2), dim.Div(d, d))
}

func TestDimIsTwoWords(t *testing.T) {
	if size := unsafe.Sizeof(dim.Dim{}); size != 16 {
		t.Errorf("a Dim takes %d bytes", size)
	}
}

func TestConstantsDoNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		sink = constants()
		_, _ = dim.Compare(sink, dim.Int(3))
		_, _ = dim.LessEq(sink, dim.Int(3))
		_ = dim.Equal(sink, dim.Int(3)) || dim.NotEqual(sink, sink)
		_, _ = sink.Lower()
		_, _ = sink.Upper()
		_, _ = sink.Eval(nil)
	}); n != 0 {
		t.Errorf("constants took %v allocations", n)
	}
}

func BenchmarkConstants(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sink = constants()
	}
}

// convolve is floor((x + 2*pad - kernel)/stride) + 1.
func convolve(x dim.Dim, kernel, stride, pad int64) dim.Dim {
	padded := dim.Add(x, dim.Int(2*pad-kernel))
	return dim.Add(dim.FloorDiv(padded, dim.Int(stride)), dim.Int(1))
}

func BenchmarkConvolution(b *testing.B) {
	b.ReportAllocs()
	height := dim.Symbol("height")
	for b.Loop() {
		sink = convolve(height, 7, 2, 3)
	}
}

// BenchmarkConvolutionChain is the five halvings of an image network.
func BenchmarkConvolutionChain(b *testing.B) {
	b.ReportAllocs()
	height := dim.Symbol("height")
	for b.Loop() {
		sink = height
		for range 5 {
			sink = convolve(sink, 3, 2, 1)
		}
	}
}

func BenchmarkReshape(b *testing.B) {
	b.ReportAllocs()
	batch, seq := dim.Symbol("batch"), dim.Symbol("seq")
	total := dim.Product(batch, seq, dim.Int(768))
	for b.Loop() {
		sink, _ = dim.DivideExact(total, dim.Product(batch, seq, dim.Int(12)))
	}
}

func BenchmarkSlice(b *testing.B) {
	b.ReportAllocs()
	past, seq := dim.Symbol("past"), dim.Symbol("seq")
	total := dim.Add(past, seq)
	for b.Loop() {
		end := dim.Min(dim.Max(dim.Add(total, dim.Int(-1)), dim.Int(0)), total)
		sink = dim.Max(dim.Sub(end, dim.Int(0)), dim.Int(0))
	}
}

func BenchmarkUndecidedComparison(b *testing.B) {
	b.ReportAllocs()
	h, w := dim.Symbol("h"), dim.Symbol("w")
	x := dim.Product(convolve(h, 3, 2, 0), convolve(w, 5, 3, 1), dim.Symbol("batch"))
	y := dim.Add(dim.Min(h, w), dim.Max(dim.Symbol("c"), dim.Sub(h, dim.Int(3))))
	for b.Loop() {
		_, _ = dim.Compare(x, y)
	}
}

func BenchmarkString(b *testing.B) {
	b.ReportAllocs()
	d := dim.Product(convolve(dim.Symbol("h"), 3, 2, 0), convolve(dim.Symbol("w"), 5, 3, 1), dim.Symbol("batch"))
	for b.Loop() {
		_ = d.String()
	}
}
