package ort

import "onnxmem/shapeinfer/op"

// This file holds what ONNX Runtime's kernel definitions say of each operator,
// by domain and name. A test fails on one that the catalogue does not have.

// aliases lists the operators whose output must be the buffer of their input.
// Source: the Alias entries of kernel definitions, and runs of each operator.
var aliases = map[op.ID]bool{
	{Name: "Reshape"}:            true,
	{Name: "Squeeze"}:            true,
	{Name: "Unsqueeze"}:          true,
	{Name: "Flatten"}:            true,
	{Name: "Identity"}:           true,
	{Name: "BitCast"}:            true,
	{Name: "OptionalGetElement"}: true,
	{Domain: op.DomainMicrosoft, Name: "ExpandDims"}: true,
}

// mayInplace lists the inputs over which a CPU kernel may write its first
// output. Source: the MayInplace entries of kernel definitions, and runs of each
// operator in each version: binary arithmetic is not among them.
var mayInplace = map[op.ID][]int{
	{Name: "Relu"}:            {0},
	{Name: "Sigmoid"}:         {0},
	{Name: "Tanh"}:            {0},
	{Name: "Elu"}:             {0},
	{Name: "Celu"}:            {0},
	{Name: "Selu"}:            {0},
	{Name: "LeakyRelu"}:       {0},
	{Name: "ThresholdedRelu"}: {0},
	{Name: "HardSigmoid"}:     {0},
	{Name: "Softplus"}:        {0},
	{Name: "Softsign"}:        {0},
	{Name: "Shrink"}:          {0},
	{Name: "Clip"}:            {0},
	{Name: "Softmax"}:         {0},
	{Name: "LogSoftmax"}:      {0},
	{Name: "Cast"}:            {0},
	{Name: "Trilu"}:           {0},
	{Name: "Scatter"}:         {0},
	{Name: "ScatterElements"}: {0},
	{Name: "TensorScatter"}:   {0},
	{Domain: op.DomainMicrosoft, Name: "Trilu"}: {0},
	{Domain: op.DomainMicrosoft, Name: "MoE"}:   {0},
	// The sum that the convolution adds.
	{Domain: op.DomainMicrosoft, Name: "FusedConv"}: {3},
	{Domain: op.DomainNchwc, Name: "Conv"}:          {3},
}

// notInDouble are those of them whose kernels for double do not. Source: runs of
// each operator in each type.
var notInDouble = map[op.ID]bool{
	{Name: "Softmax"}:    true,
	{Name: "LogSoftmax"}: true,
}

// cudaMayInplace lists what CUDA kernels may overwrite beyond that.
var cudaMayInplace = map[op.ID][]int{
	{Name: "Add"}:        {0, 1},
	{Name: "Sub"}:        {0, 1},
	{Name: "Mul"}:        {0, 1},
	{Name: "Div"}:        {0, 1},
	{Name: "Abs"}:        {0},
	{Name: "Neg"}:        {0},
	{Name: "Floor"}:      {0},
	{Name: "Ceil"}:       {0},
	{Name: "Reciprocal"}: {0},
	{Name: "Sqrt"}:       {0},
	{Name: "Exp"}:        {0},
	{Name: "Log"}:        {0},
	{Name: "Erf"}:        {0},
	{Name: "Not"}:        {0},
	{Name: "Gelu"}:       {0},
	{Domain: op.DomainMicrosoft, Name: "Gelu"}:      {0},
	{Domain: op.DomainMicrosoft, Name: "FastGelu"}:  {0},
	{Domain: op.DomainMicrosoft, Name: "QuickGelu"}: {0},
	{Domain: op.DomainMicrosoft, Name: "BiasGelu"}:  {0},
}

// float16Since holds the version of an operator from which on the CPU provider
// has a kernel for float16. Source: loading every operator with float16 inputs.
var float16Since = map[op.ID]int{
	{Name: "Attention"}:                    23,
	{Name: "Cast"}:                         6,
	{Name: "Celu"}:                         28,
	{Name: "Clip"}:                         12,
	{Name: "Compress"}:                     9,
	{Name: "Concat"}:                       4,
	{Name: "ConstantOfShape"}:              9,
	{Name: "DequantizeLinear"}:             19,
	{Name: "Expand"}:                       8,
	{Name: "Flatten"}:                      1,
	{Name: "Gather"}:                       1,
	{Name: "GatherElements"}:               11,
	{Name: "GatherND"}:                     11,
	{Name: "Identity"}:                     1,
	{Name: "IsInf"}:                        20,
	{Name: "IsNaN"}:                        9,
	{Name: "LayerNormalization"}:           1,
	{Name: "Max"}:                          12,
	{Name: "Min"}:                          12,
	{Name: "Mod"}:                          10,
	{Name: "Optional"}:                     15,
	{Name: "OptionalHasElement"}:           15,
	{Name: "QuantizeLinear"}:               19,
	{Name: "RMSNormalization"}:             23,
	{Name: "Reshape"}:                      1,
	{Name: "ReverseSequence"}:              10,
	{Name: "RotaryEmbedding"}:              23,
	{Name: "Round"}:                        11,
	{Name: "Scatter"}:                      9,
	{Name: "ScatterElements"}:              11,
	{Name: "ScatterND"}:                    11,
	{Name: "Shape"}:                        1,
	{Name: "Shrink"}:                       9,
	{Name: "Sign"}:                         9,
	{Name: "SimplifiedLayerNormalization"}: 1,
	{Name: "Slice"}:                        1,
	{Name: "Split"}:                        2,
	{Name: "SplitToSequence"}:              11,
	{Name: "Squeeze"}:                      1,
	{Name: "TensorScatter"}:                24,
	{Name: "Transpose"}:                    1,
	{Name: "Unsqueeze"}:                    1,
	{Domain: op.DomainMicrosoft, Name: "BranchwiseRMSNorm"}:                1,
	{Domain: op.DomainMicrosoft, Name: "EngramGate"}:                       1,
	{Domain: op.DomainMicrosoft, Name: "ExpandDims"}:                       1,
	{Domain: op.DomainMicrosoft, Name: "GatedAdd"}:                         1,
	{Domain: op.DomainMicrosoft, Name: "GatedDeltaNet"}:                    1,
	{Domain: op.DomainMicrosoft, Name: "GatedRMSNorm"}:                     1,
	{Domain: op.DomainMicrosoft, Name: "GatherBlockQuantized"}:             1,
	{Domain: op.DomainMicrosoft, Name: "GatherND"}:                         1,
	{Domain: op.DomainMicrosoft, Name: "GroupQueryAttention"}:              1,
	{Domain: op.DomainMicrosoft, Name: "HyperConnectionPostMix"}:           1,
	{Domain: op.DomainMicrosoft, Name: "HyperConnectionPreMix"}:            1,
	{Domain: op.DomainMicrosoft, Name: "Inverse"}:                          1,
	{Domain: op.DomainMicrosoft, Name: "MRotaryEmbedding"}:                 1,
	{Domain: op.DomainMicrosoft, Name: "MatMulNBits"}:                      1,
	{Domain: op.DomainMicrosoft, Name: "QMoE"}:                             1,
	{Domain: op.DomainMicrosoft, Name: "RotaryEmbedding"}:                  1,
	{Domain: op.DomainMicrosoft, Name: "ScaledSiLU"}:                       1,
	{Domain: op.DomainMicrosoft, Name: "SkipLayerNormalization"}:           1,
	{Domain: op.DomainMicrosoft, Name: "SkipSimplifiedLayerNormalization"}: 1,
	{Domain: op.DomainMicrosoft, Name: "SparseAttention"}:                  1,
	{Domain: op.DomainMicrosoft, Name: "UnfoldTensor"}:                     1,
	{Domain: op.DomainMicrosoft, Name: "VarlenCausalConvWithState"}:        1,
}
