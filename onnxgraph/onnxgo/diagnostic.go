package onnxgo

import "fmt"

// A Diagnostic is one fact that onnx-go did not hand over, or handed over
// wrong. Its text says what the model has in its place.
type Diagnostic struct {
	Code    Code
	Subject string // the value, node or field meant; empty for the whole model
	Message string
}

// String is the code, the subject and the message.
func (d Diagnostic) String() string {
	if d.Subject == "" {
		return fmt.Sprintf("%s: %s", d.Code, d.Message)
	}
	return fmt.Sprintf("%s: %s: %s", d.Code, d.Subject, d.Message)
}

// A Code says what kind of fact got lost. Codes are append-only.
type Code string

// The facts that onnx-go loses.
const (
	// LostHeader: IR version, producer, model version, domain, doc string.
	LostHeader Code = "header"
	// LostOpset: the version of an operator domain, without which many
	// operators cannot be understood.
	LostOpset Code = "opset"
	// LostMetadata: metadata of the model, a graph, node, value or tensor.
	LostMetadata Code = "metadata"
	// LostFunction: a local function; calls of it become unknown operators.
	LostFunction Code = "function"
	// LostTraining: training information.
	LostTraining Code = "training"
	// LostDevices: device configurations.
	LostDevices Code = "devices"
	// LostQuantization: a quantization annotation.
	LostQuantization Code = "quantization"
	// LostNodeName: the name of a node.
	LostNodeName Code = "node-name"
	// LostDomain: the operator domain of a node, which makes it look like one of
	// ai.onnx.
	LostDomain Code = "node-domain"
	// LostOverload: which overload of a function a node calls.
	LostOverload Code = "node-overload"
	// LostAttribute: the value of an attribute, such as one without a type, or a
	// reference to an attribute of a function.
	LostAttribute Code = "attribute"
	// LostDim: a dim without a number is left out, so that the rank is wrong. The
	// model has no shape there.
	LostDim Code = "dim"
	// LostType: the declared type of a value.
	LostType Code = "type"
	// LostInput: a graph input with a default value is no input any more.
	LostInput Code = "input"
	// LostTensor: a stored tensor, or its values.
	LostTensor Code = "tensor"
	// LostNode: a node, or what it reads and makes.
	LostNode Code = "node"
	// LostDoc: a doc string of a graph, node or value.
	LostDoc Code = "doc-string"
	// UnprovenShape: onnx-go leaves out dims without a number, so a shape of its
	// may lack some. The model has no shape there unless Options.Static or a
	// fed tensor vouches for it.
	UnprovenShape Code = "unproven-shape"
)
