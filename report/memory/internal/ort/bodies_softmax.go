package ort

import "fmt"

// softmaxBodies are Softmax and LogSoftmax.
func softmaxBodies() []functionBody {
	return []functionBody{
		{name: "Softmax", since: 13, inputs: "input", outputs: "output", text: softmaxText("output = Div (X_Exp, X_ReduceSum)")},
		{name: "LogSoftmax", since: 13, inputs: "input", outputs: "output",
			text: softmaxText("X_Log = Log (X_ReduceSum)\noutput = Sub (X_Sub, X_Log)")},
	}
}

func softmaxText(end string) func(*bodyCall) string {
	return func(c *bodyCall) string {
		axis := c.integer("axis", -1)
		maximum := fmt.Sprintf("X_ReduceMax = ReduceMax <axes=[%d], keepdims=1> (input)", axis)
		if c.opset >= 18 { // the axes became an input
			maximum = "X_ReduceMax = ReduceMax <keepdims=1> (input, axes)"
		}
		return fmt.Sprintf(`
			axes = ints (%d)
			%s
			X_Sub = Sub (input, X_ReduceMax)
			X_Exp = Exp (X_Sub)
			X_ReduceSum = ReduceSum <keepdims=1> (X_Exp, axes)
			%s`, axis, maximum, end)
	}
}
