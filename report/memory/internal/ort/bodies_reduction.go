package ort

import (
	"fmt"
	"strings"
)

// comparisonBodies are the comparisons that are two others.
func comparisonBodies() []functionBody {
	either := func(op string) func(*bodyCall) string {
		return constantText(`
			O1 = ` + op + ` (A, B)
			O2 = Equal (A, B)
			C = Or (O1, O2)`)
	}
	return []functionBody{
		{name: "GreaterOrEqual", opsets: []int64{12, 16}, inputs: "A B", outputs: "C", text: either("Greater")},
		{name: "LessOrEqual", opsets: []int64{12, 16}, inputs: "A B", outputs: "C", text: either("Less")},
	}
}

// reductionBodies are the reductions that apply something before or after a sum.
func reductionBodies() []functionBody {
	reduction := func(name string, opsets []int64, text string) functionBody {
		return functionBody{name: name, opsets: opsets, inputs: "data axes", outputs: "reduced", text: reductionText(text)}
	}
	return []functionBody{
		reduction("ReduceL1", []int64{18}, `
			data_abs = Abs (data)
			reduced = ReduceSum <KEEP> (data_abs, axes)`),
		reduction("ReduceL2", []int64{18}, `
			data_square = Mul (data, data)
			sum_square = ReduceSum <KEEP> (data_square, axes)
			sum_square_dbl = Cast <to=1> (sum_square)
			sqrt = Sqrt (sum_square_dbl)
			reduced = CastLike (sqrt, data)`),
		reduction("ReduceSumSquare", []int64{18}, `
			data_square = Mul (data, data)
			reduced = ReduceSum <KEEP> (data_square, axes)`),
		reduction("ReduceLogSum", []int64{18, 28}, `
			reduced_sum = ReduceSum <KEEP> (data, axes)
			reduced = Log (reduced_sum)`),
		reduction("ReduceLogSumExp", []int64{18, 28}, `
			data_double = Cast <to=11> (data)
			data_exp = Exp (data_double)
			reduced_sum = ReduceSum <KEEP> (data_exp, axes)
			reduced_double = Log (reduced_sum)
			reduced = CastLike (reduced_double, data)`),
	}
}

func reductionText(text string) func(*bodyCall) string {
	return func(c *bodyCall) string {
		keep := fmt.Sprintf("keepdims=%d, noop_with_empty_axes=%d", c.integer("keepdims", 1), c.integer("noop_with_empty_axes", 0))
		text := strings.ReplaceAll(text, "KEEP", keep)
		if len(c.node.Inputs) < 2 {
			text = strings.ReplaceAll(text, ", axes)", ")")
		}
		return text
	}
}
