package catalogue_test

import (
	"testing"
)

// args makes the inputs of a case.
func args(values ...string) []string { return values }

func TestIntegerElements(t *testing.T) {
	runValues(t, []valueCase{
		{clause: "an expression and a number", opset: 14, op: "Add", inputs: args("INT64[n; 3]", "INT64[1; 4]"), want: "INT64[n + 1; 7]"},
		{clause: "broadcast", opset: 14, op: "Mul", inputs: args("INT64[n; 3; ?]", "INT64(2)"), want: "INT64[2*n; 6; ?]"},
		{clause: "one side unknown", opset: 14, op: "Add", inputs: args("INT64[n]", "?"), want: ""},
		{clause: "cancels", opset: 14, op: "Sub", inputs: args("INT64[n + m]", "INT64[m]"), want: "INT64[n]"},
		{clause: "as in C rounds towards zero", opset: 14, op: "Div", inputs: args("INT64[-7; 7; -7]", "INT64[2; -2; -2]"), want: "INT64[-3; -3; 3]"},
		{clause: "an expression rounds down where it is positive", opset: 14, op: "Div", inputs: args("INT64[n; 4*n; n - 1]", "INT64[2; 2; 3]"), want: "INT64[floor(n/2); 2*n; floor((n - 1)/3)]"},
		{clause: "by zero is undefined", opset: 14, op: "Div", inputs: args("INT64[1; n; 4]", "INT64[0; 0; 2]"), want: "INT64[?; ?; 2]"},
		{clause: "64 bits wrap", opset: 14, op: "Add", inputs: args("INT64[9223372036854775807]", "INT64[1]"), want: "INT64[-9223372036854775808]"},
		{clause: "8 bits wrap", opset: 14, op: "Add", inputs: args("INT8[127]", "INT8[1]"), want: "INT8[-128]"},
		{clause: "32 unsigned bits wrap", opset: 14, op: "Sub", inputs: args("UINT32[0]", "UINT32[1]"), want: "UINT32[4294967295]"},
		{clause: "an unsigned difference may wrap", opset: 14, op: "Sub", inputs: args("UINT32[n; n]", "UINT32[2; 1]"), want: "UINT32[?; n - 1]"},
		{clause: "8 bits do not hold every size", opset: 14, op: "Add", inputs: args("UINT8[n]", "UINT8[1]"), want: ""},

		// Python's % has the divisor's sign, C's fmod the dividend's.
		{clause: "fmod 0", opset: 13, op: "Mod", inputs: args("INT64[-7; 7; -7; n; 4*n]", "INT64[3; -3; -3; 4; 4]"), want: "INT64[2; -2; -1; n - 4*floor(n/4); 0]"},
		{clause: "fmod 1", opset: 13, op: "Mod", inputs: args("INT64[-7; 7; -7]", "INT64[3; -3; -3]"), attrs: list(intAttr("fmod", 1)), want: "INT64[-1; 1; -1]"},
		{clause: "floats", opset: 28, op: "Mod", inputs: args("FLOAT[-5.5; 5.5]", "FLOAT[2; 2]"), want: "FLOAT[0.5; 1.5]"},
		{clause: "floats, fmod 1", opset: 13, op: "Mod", inputs: args("FLOAT[-5.5]", "FLOAT[2]"), attrs: list(intAttr("fmod", 1)), want: "FLOAT[-1.5]"},

		{clause: "with a float exponent", opset: 15, op: "Pow", inputs: args("INT64[3; n; 2]", "FLOAT[2; 2; 0.5]"), want: "INT64[9; n*n; ?]"},
		{clause: "negative exponent", opset: 15, op: "Pow", inputs: args("FLOAT[2; 10]", "FLOAT[-1; -1]"), want: "FLOAT[0.5; ?]"},
		{clause: "element by element", opset: 13, op: "Neg", inputs: args("INT64[n; -3]"), want: "INT64[-n; 3]"},
		{clause: "element by element", opset: 13, op: "Abs", inputs: args("INT64[n; -3; n - 5; -n]"), want: "INT64[n; 3; max(n - 5, 5 - n); n]"},
		{clause: "element by element", opset: 13, op: "Sign", inputs: args("INT64[n; -3; 0; n - 1]"), want: "INT64[1; -1; 0; ?]"},
		{clause: "element by element", opset: 14, op: "Relu", inputs: args("INT64[n - 5; -3]"), want: "INT64[max(n - 5, 0); 0]"},
		{clause: "element by element", opset: 13, op: "Max", inputs: args("INT64[n; n]", "INT64[1; 7]", "INT64[0; 2]"), want: "INT64[n; max(n, 7)]"},
		{clause: "element by element", opset: 13, op: "Min", inputs: args("INT64[n; 8]", "INT64[n + 1; 7]"), want: "INT64[n; 7]"},
		{clause: "element by element", opset: 13, op: "Sum", inputs: args("INT64[n]", "INT64[m]", "INT64[2]"), want: "INT64[n + m + 2]"},
		{clause: "both ends", opset: 12, op: "Clip", inputs: args("INT64[-3; n; 9]", "INT64(1)", "INT64(5)"), want: "INT64[1; min(n, 5); 5]"},
		{clause: "no lower end", opset: 12, op: "Clip", inputs: args("INT64[-3; 9]", "", "INT64(5)"), want: "INT64[-3; 5]"},
		{clause: "ends crossed", opset: 12, op: "Clip", inputs: args("INT64[3]", "INT64(7)", "INT64(5)"), want: "INT64[5]"},
		{clause: "attributes", opset: 6, op: "Clip", inputs: args("FLOAT[-3; 9]"), attrs: list(floatAttr("min", -1.5), floatAttr("max", 2)), want: "FLOAT[-1.5; 2]"},

		{clause: "left", opset: 11, op: "BitShift", inputs: args("UINT8[129; 1]", "UINT8[1; 9]"), attrs: list(textAttr("direction", "LEFT")), want: "UINT8[2; 0]"},
		{clause: "right with the sign", opset: 28, op: "BitShift", inputs: args("INT32[-5; -5; 5]", "INT32[1; 40; -1]"), attrs: list(textAttr("direction", "RIGHT")), want: "INT32[-3; -1; 0]"},
		{clause: "element by element", opset: 18, op: "BitwiseAnd", inputs: args("INT32[6]", "INT32[3]"), want: "INT32[2]"},
		{clause: "element by element", opset: 18, op: "BitwiseXor", inputs: args("INT32[6]", "INT32[3]"), want: "INT32[5]"},
		{clause: "signed", opset: 18, op: "BitwiseNot", inputs: args("INT32[6; n]"), want: "INT32[-7; -n - 1]"},
		{clause: "unsigned", opset: 18, op: "BitwiseNot", inputs: args("UINT8[6]"), want: "UINT8[249]"},
	})
}

func TestFloatElements(t *testing.T) {
	runValues(t, []valueCase{
		{clause: "halves stay exact", opset: 14, op: "Mul", inputs: args("FLOAT[n; 3]", "FLOAT(0.5)"), want: "FLOAT[n/2; 1.5]"},
		{clause: "down", opset: 13, op: "Floor", inputs: args("FLOAT[n/2; -2.5; 3]"), want: "FLOAT[floor(n/2); -3; 3]"},
		{clause: "up", opset: 13, op: "Ceil", inputs: args("FLOAT[n/2; -2.5]"), want: "FLOAT[ceil(n/2); -2]"},
		{clause: "halves to even", opset: 11, op: "Round", inputs: args("FLOAT[0.5; 1.5; 2.5; -2.5; -1.2]"), want: "FLOAT[0; 2; 2; -2; -1]"},
		{clause: "a rounded quotient", opset: 14, op: "Div", inputs: args("FLOAT[n]", "FLOAT[7]"), want: "FLOAT[n/7]"},
		// fl(n/49)*49 is below n for some n.
		{clause: "a product of a rounded quotient", opset: 14, op: "Mul", inputs: args("FLOAT[n/49]", "FLOAT[49]"), want: ""},
		{clause: "a sum with a rounded quotient", opset: 14, op: "Add", inputs: args("FLOAT[n/49]", "FLOAT[0.5]"), want: "FLOAT[n/49 + 1/2]"},
		// 1.1 is 9227469/2^23 in 32 bits.
		{clause: "a constant that is no short fraction", opset: 14, op: "Mul", inputs: args("FLOAT[n]", "FLOAT[1.100000023841858]"), want: ""},
		// The sum of the nearest floats to 0.1 and 0.2, rounded to 24 bits.
		{clause: "numbers are rounded to the type", opset: 14, op: "Add", inputs: args("FLOAT[0.10000000149011612]", "FLOAT[0.20000000298023224]"), want: "FLOAT[0.30000001192092896]"},
		{clause: "11 bits", opset: 14, op: "Add", inputs: args("FLOAT16[2048; 65504; 2050]", "FLOAT16[1; 65504; 1]"), want: "FLOAT16[2048; inf; 2052]"},
		{clause: "8 bits", opset: 14, op: "Add", inputs: args("BFLOAT16[256; 258]", "BFLOAT16[1; 1]"), want: "BFLOAT16[256; 260]"},
		{clause: "division by zero", opset: 14, op: "Div", inputs: args("FLOAT[1; -1; 0]", "FLOAT[0; 0; 0]"), want: "FLOAT[inf; -inf; nan]"},
		{clause: "element by element", opset: 13, op: "Reciprocal", inputs: args("FLOAT[4; n]"), want: "FLOAT[0.25; 1/n]"},
		{clause: "element by element", opset: 13, op: "Sqrt", inputs: args("FLOAT[9; n]"), want: "FLOAT[3; ?]"},
		{clause: "not exact in every library", opset: 13, op: "Exp", inputs: args("FLOAT[1]"), want: ""},
		{clause: "element by element", opset: 13, op: "Mean", inputs: args("FLOAT[1; n]", "FLOAT[2; n]"), want: "FLOAT[1.5; n]"},
		{clause: "element by element", opset: 13, op: "IsNaN", inputs: args("FLOAT[nan; inf; 1; ?]"), want: "BOOL[1; 0; 0; ?]"},
		{clause: "both signs", opset: 10, op: "IsInf", inputs: args("FLOAT[nan; inf; -inf; n]"), want: "BOOL[0; 1; 1; 0]"},
		{clause: "one sign", opset: 10, op: "IsInf", inputs: args("FLOAT[inf; -inf]"), attrs: list(intAttr("detect_negative", 0)), want: "BOOL[1; 0]"},
	})
}

func TestTruthElements(t *testing.T) {
	runValues(t, []valueCase{
		{clause: "decided for all sizes", opset: 13, op: "Equal", inputs: args("INT64[n; n; 2*n; n; n + m]", "INT64[-1; n; 7; 7; m + n]"), want: "BOOL[0; 1; 0; ?; 1]"},
		{clause: "texts", opset: 19, op: "Equal", inputs: args("STRING['a'; 'b']", "STRING['a'; 'a']"), want: "BOOL[1; 0]"},
		{clause: "NaN", opset: 13, op: "Equal", inputs: args("FLOAT[nan]", "FLOAT[nan]"), want: "BOOL[0]"},
		{clause: "element by element", opset: 13, op: "Less", inputs: args("INT64[n; n; n; 3]", "INT64[n + 1; 1; 5; 3]"), want: "BOOL[1; 0; ?; 0]"},
		{clause: "element by element", opset: 13, op: "Greater", inputs: args("INT64[n; 0]", "INT64[0; n]"), want: "BOOL[1; 0]"},
		{clause: "element by element", opset: 16, op: "LessOrEqual", inputs: args("INT64[1; n; 4]", "INT64[n; 0; 4]"), want: "BOOL[1; 0; 1]"},
		{clause: "NaN", opset: 16, op: "GreaterOrEqual", inputs: args("FLOAT[nan; 2]", "FLOAT[1; 2]"), want: "BOOL[0; 1]"},
		{clause: "one side decides", opset: 7, op: "And", inputs: args("BOOL[?; ?; 1]", "BOOL[0; 1; 1]"), want: "BOOL[0; ?; 1]"},
		{clause: "one side decides", opset: 7, op: "Or", inputs: args("BOOL[?; ?; 0]", "BOOL[0; 1; 0]"), want: "BOOL[?; 1; 0]"},
		{clause: "both are needed", opset: 7, op: "Xor", inputs: args("BOOL[?; 1]", "BOOL[0; 1]"), want: "BOOL[?; 0]"},
		{clause: "element by element", opset: 1, op: "Not", inputs: args("BOOL[1; 0; ?]"), want: "BOOL[0; 1; ?]"},
		{clause: "either side, or what both have in common", opset: 16, op: "Where", inputs: args("BOOL[1; 0; ?; ?]", "INT64[n; n; n; n]", "INT64[2; 2; 2; n]"), want: "INT64[n; 2; ?; n]"},
		{clause: "the condition is not known at all", opset: 16, op: "Where", inputs: args("?", "INT64[n]", "INT64[n]"), want: ""},
	})
}

func TestCastElements(t *testing.T) {
	to := func(n int64) []*attribute { return list(intAttr("to", n)) }
	runValues(t, []valueCase{
		{clause: "floats to integers towards zero", opset: 13, op: "Cast", inputs: args("FLOAT[2.9; -2.9; n/2; nan; 1e30]"), attrs: to(7), want: "INT64[2; -2; floor(n/2); ?; ?]"},
		{clause: "2^63 is out of range", opset: 13, op: "Cast", inputs: args("FLOAT[9223372036854775808; -9223372036854775808]"), attrs: to(7), want: "INT64[?; -9223372036854775808]"},
		{clause: "a negative expression", opset: 13, op: "Cast", inputs: args("FLOAT[-n/2]"), attrs: to(7), want: "INT64[ceil(-n/2)]"},
		// "For example, 200 (int16) -> -56 (int8)."
		{clause: "high bits are dropped", opset: 13, op: "Cast", inputs: args("INT16[200]"), attrs: to(3), want: "INT8[-56]"},
		{clause: "4 bits", opset: 21, op: "Cast", inputs: args("INT32[9; -1]"), attrs: to(22), want: "INT4[-7; -1]"},
		{clause: "to BOOL", opset: 13, op: "Cast", inputs: args("FLOAT[0.5; 0; n; -0.0]"), attrs: to(9), want: "BOOL[1; 0; 1; 0]"},
		{clause: "a size to 32 bits", opset: 13, op: "Cast", inputs: args("INT64[n]"), attrs: to(6), want: "INT32[n]"},
		{clause: "a size to FLOAT", opset: 13, op: "Cast", inputs: args("INT64[n; 16777217]"), attrs: to(1), want: "FLOAT[n; 16777216]"},
		{clause: "a size to FLOAT16 may be rounded", opset: 13, op: "Cast", inputs: args("INT64[n; 3]"), attrs: to(10), want: "FLOAT16[?; 3]"},
		{clause: "texts", opset: 13, op: "Cast", inputs: args("STRING['12'; ' 7'; 'x']"), attrs: to(7), want: "INT64[12; 7; ?]"},
		{clause: "infinite texts", opset: 13, op: "Cast", inputs: args("STRING['+INF'; 'NaN'; '1e2']"), attrs: to(1), want: "FLOAT[inf; nan; 100]"},
		{clause: "to texts", opset: 13, op: "Cast", inputs: args("INT64[12; n]"), attrs: to(8), want: "STRING['12'; ?]"},
		{clause: "by name", opset: 1, op: "Cast", inputs: args("INT64[12]"), attrs: list(textAttr("to", "INT32")), want: "INT32[12]"},
		{clause: "element by element", opset: 15, op: "CastLike", inputs: args("FLOAT[2.5]", "INT32[0]"), want: "INT32[2]"},
		// 1 is 0x3f800000 in 32 bits.
		{clause: "element by element", opset: 26, op: "BitCast", inputs: args("FLOAT[1]"), attrs: to(6), want: "INT32[1065353216]"},
		{clause: "back", opset: 26, op: "BitCast", inputs: args("UINT32[1065353216]"), attrs: to(1), want: "FLOAT[1]"},
	})
}

func TestReducedElements(t *testing.T) {
	runValues(t, []valueCase{
		{clause: "a number of elements", opset: 18, op: "ReduceProd", inputs: args("INT64[n; 3; m]"), want: "INT64[3*n*m]"},
		{clause: "keepdims 0", opset: 18, op: "ReduceProd", inputs: args("INT64[n; 3]"), attrs: list(intAttr("keepdims", 0)), want: "INT64(3*n)"},
		{clause: "axes as input", opset: 13, op: "ReduceSum", inputs: args("INT64[n; 3]", "INT64[0]"), attrs: list(intAttr("keepdims", 0)), want: "INT64(n + 3)"},
		{clause: "no axes, nothing reduced", opset: 13, op: "ReduceSum", inputs: args("INT64[n; 3]"), attrs: list(intAttr("noop_with_empty_axes", 1)), want: "INT64[n; 3]"},
		{clause: "one unknown", opset: 13, op: "ReduceSum", inputs: args("INT64[n; ?]"), want: ""},
		{clause: "of none", opset: 13, op: "ReduceSum", inputs: args("INT64[]"), want: "INT64[0]"},
		{clause: "element by element", opset: 18, op: "ReduceMax", inputs: args("INT64[n; n + 1; 2]"), want: "INT64[n + 1]"},
		{clause: "element by element", opset: 18, op: "ReduceMin", inputs: args("INT64[4; -1]"), want: "INT64[-1]"},
		{clause: "BOOL is any", opset: 20, op: "ReduceMax", inputs: args("BOOL[0; ?; 1]"), want: "BOOL[1]"},
		{clause: "BOOL is all", opset: 20, op: "ReduceMin", inputs: args("BOOL[1; 1]"), want: "BOOL[1]"},
		{clause: "element by element", opset: 18, op: "ReduceMean", inputs: args("FLOAT[1; 2; 4; n]"), want: "FLOAT[(n + 7)/4]"},
		{clause: "element by element", opset: 18, op: "ReduceL1", inputs: args("INT64[-2; n]"), want: "INT64[n + 2]"},
		{clause: "element by element", opset: 18, op: "ReduceSumSquare", inputs: args("INT64[-2; n]"), want: "INT64[n*n + 4]"},
		// 2^24 + 1 is no FLOAT: the order of the steps shows.
		{clause: "rounded steps", opset: 13, op: "ReduceSum", inputs: args("FLOAT[16777216; 1; 1]"), want: ""},
		{clause: "the first of equal ones", opset: 13, op: "ArgMax", inputs: args("INT64[1; 7; 7]"), want: "INT64[1]"},
		{clause: "the last of equal ones", opset: 13, op: "ArgMax", inputs: args("INT64[1; 7; 7]"), attrs: list(intAttr("select_last_index", 1)), want: "INT64[2]"},
		{clause: "of sizes", opset: 13, op: "ArgMin", inputs: args("INT64[n; n + 2; 0]"), want: "INT64[2]"},
		{clause: "undecided", opset: 13, op: "ArgMin", inputs: args("INT64[n; 5]"), want: ""},
		{clause: "inclusive", opset: 14, op: "CumSum", inputs: args("INT64[n; 2; m]", "INT64(0)"), want: "INT64[n; n + 2; n + 2 + m]"},
		{clause: "exclusive", opset: 14, op: "CumSum", inputs: args("INT64[n; 2; m]", "INT64(0)"), attrs: list(intAttr("exclusive", 1)), want: "INT64[0; n; n + 2]"},
		{clause: "reverse", opset: 14, op: "CumSum", inputs: args("INT64[1; 2; 3]", "INT64(-1)"), attrs: list(intAttr("reverse", 1)), want: "INT64[6; 5; 3]"},
		{clause: "reverse and exclusive", opset: 26, op: "CumProd", inputs: args("INT64[1; 2; 3]", "INT64(0)"), attrs: list(intAttr("reverse", 1), intAttr("exclusive", 1)), want: "INT64[6; 3; 1]"},
	})
}

func TestGeneratedElements(t *testing.T) {
	runValues(t, []valueCase{
		{clause: "up", opset: 11, op: "Range", inputs: args("INT64(3)", "INT64(9)", "INT64(3)"), want: "INT64[3; 6]"},
		{clause: "down", opset: 11, op: "Range", inputs: args("INT64(10)", "INT64(4)", "INT64(-2)"), want: "INT64[10; 8; 6]"},
		{clause: "a part of a step counts", opset: 11, op: "Range", inputs: args("FLOAT(0)", "FLOAT(1.25)", "FLOAT(0.5)"), want: "FLOAT[0; 0.5; 1]"},
		{clause: "away from the limit is empty", opset: 11, op: "Range", inputs: args("INT64(4)", "INT64(9)", "INT64(-1)"), want: "INT64[]"},
		{clause: "from an expression", opset: 11, op: "Range", inputs: args("INT64(n)", "INT64(n + 2)", "INT64(1)"), want: "INT64[n; n + 1]"},
		{clause: "FLOAT zeros by default", opset: 9, op: "ConstantOfShape", inputs: args("INT64[3]"), want: "FLOAT[0; 0; 0]"},
		{clause: "a scalar", opset: 9, op: "ConstantOfShape", inputs: args("INT64[]"), want: "FLOAT(0)"},
		{clause: "ints", opset: 13, op: "Constant", attrs: list(&attribute{Name: "value_ints", Ints: []int64{4, -1}}), want: "INT64[4; -1]"},
		{clause: "a float", opset: 13, op: "Constant", attrs: list(floatAttr("value_float", 0.5)), want: "FLOAT(0.5)"},
		{clause: "strings", opset: 13, op: "Constant", attrs: list(&attribute{Name: "value_strings", Strings: []string{"a", ""}}), want: "STRING['a'; '']"},
	})
}
