package dim_test

import (
	"fmt"

	"onnxmem/shapeinfer/dim"
)

// The output height of two convolutions with kernel 3, stride 2 and padding 1.
func Example() {
	height := dim.Symbol("height")
	for range 2 {
		padded := dim.Add(height, dim.Int(2*1-3))
		height = dim.Add(dim.FloorDiv(padded, dim.Int(2)), dim.Int(1))
	}
	fmt.Println(height)
	fmt.Println(height.Eval(map[string]int64{"height": 225}))
	// Output:
	// ceil(height/4)
	// 57 true
}

// The dimension that Reshape infers for -1: all elements by those of the other dimensions.
func ExampleDivideExact() {
	batch, seq := dim.Symbol("batch"), dim.Symbol("seq")
	elements := dim.Product(batch, seq, dim.Int(768))
	fmt.Println(dim.DivideExact(elements, dim.Product(batch, seq, dim.Int(12))))
	fmt.Println(dim.DivideExact(elements, dim.Symbol("heads")))
	// Output:
	// 64 true
	// ? false
}

// A detector keeps at most as many boxes as there are candidates.
func ExampleDataDependent() {
	candidates := dim.Mul(dim.Symbol("batch"), dim.Int(8400))
	kept := dim.DataDependent("kept", 0, candidates)
	bytes := dim.Mul(kept, dim.Int(24))
	fmt.Println(bytes, "at most", bytes.UpperExpr())
	fmt.Println(dim.LessEq(kept, candidates))
	// Output:
	// 24*kept at most 201600*batch
	// true true
}

func ExampleParse() {
	a, _ := dim.Parse("floor((h - 1)/2) + 1")
	b, _ := dim.Parse("ceil(h/2)")
	fmt.Println(a, dim.Equal(a, b))
	_, err := dim.Parse("2.5e3*h")
	fmt.Println(err)
	// Output:
	// ceil(h/2) true
	// dimension expression "2.5e3*h", byte 0: 2.5e3 is not an integer; write a fraction
}
