package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft that run a language model,
// held in bodies, token by token. How many turns it takes is decided by what it
// says, so the multiply-accumulates are unknown
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribGenerationOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "BeamSearch", Versions: []int{1}, Infer: beamSearch, MACs: op.UnknownMACs},
	{Domain: op.DomainMicrosoft, Name: "GreedySearch", Versions: []int{1}, Infer: greedySearch, MACs: op.UnknownMACs},
	{Domain: op.DomainMicrosoft, Name: "Sampling", Versions: []int{1}, Infer: greedySearch, MACs: op.UnknownMACs, Random: op.Always},
	{Domain: op.DomainMicrosoft, Name: "WhisperBeamSearch", Versions: []int{1}, Infer: whisperBeamSearch, MACs: op.UnknownMACs},
}

// generationBodies infers the bodies by what they declare of themselves and
// returns the size of the vocabulary: the attribute, or the last axis of what
// the decoder makes first.
func generationBodies(c *op.Call) (dim.Dim, error) {
	vocabulary := dim.Unknown()
	for _, attr := range []string{"encoder", "init_decoder", "decoder"} {
		if !c.HasAttr(attr) {
			continue
		}
		outputs, err := c.Engine.InferSubgraph(attr, nil)
		if err != nil {
			return vocabulary, err
		}
		if attr == "decoder" && len(outputs) > 0 {
			vocabulary = outputs[0].Type.Shape.At(-1)
		}
	}
	if n := c.Int("vocab_size", -1); n > 0 {
		vocabulary = dim.Int(n)
	}
	return vocabulary, nil
}

// greedySearch fills sequences of batch x max_length, and for Sampling the
// last scores, batch x vocabulary.
func greedySearch(c *op.Call) error {
	vocabulary, err := generationBodies(c)
	if err != nil {
		return err
	}
	batch := c.Shape(0).At(0)
	length := c.Number(1)
	if !length.IsKnown() {
		c.Unknown(0, "the value of max_length is unknown")
	}
	c.Set(0, onnxgraph.Int32, tensor.MakeShape(batch, length))
	c.Set(1, onnxgraph.Float, tensor.MakeShape(batch, vocabulary))
	return c.CheckRank(0, "input_ids", 2)
}

// Slots of BeamSearch and WhisperBeamSearch.
const (
	beamMaxLength        = 1
	beamCount            = 3
	beamReturned         = 4
	beamLengthPenalty    = 5
	beamRepetition       = 6
	beamDecoderIDs       = 10
	whisperLayerHeads    = 12
	beamSequences        = 0
	beamSequencesScores  = 1
	beamScores           = 2
	whisperCrossProducts = 3
	whisperSilence       = 4
)

// beamSearch fills batch x returned sequences x max_length; the scores of all
// steps are steps x batch x beams x vocabulary.
func beamSearch(c *op.Call) error {
	vocabulary, err := generationBodies(c)
	if err != nil {
		return err
	}
	batch, returned, length := c.Shape(0).At(0), c.Number(beamReturned), c.Number(beamMaxLength)
	if !returned.IsKnown() || !length.IsKnown() {
		c.Unknown(beamSequences, "the values of max_length and num_return_sequences are unknown")
	}
	c.Set(beamSequences, onnxgraph.Int32, tensor.MakeShape(batch, returned, length))
	d := beamDType(c)
	c.Set(beamSequencesScores, d, tensor.MakeShape(batch, returned))
	steps := dim.Sub(length, promptLength(c))
	if n, ok := steps.Int(); ok && n < 0 {
		return c.Errorf(op.CodeValue, "max_length %s is below the length of the prompt", length)
	}
	c.Set(beamScores, d, tensor.MakeShape(steps, batch, c.Number(beamCount), vocabulary))
	return nil
}

// beamDType is the type of the scores, which is that of the penalties.
func beamDType(c *op.Call) onnxgraph.DType {
	return c.DtypeOr(beamLengthPenalty, c.DtypeOr(beamRepetition, onnxgraph.Undefined))
}

// promptLength is the length that the sequences start with: that of the
// prompt, or where an encoder reads the prompt that of decoder_input_ids, or
// the one start token.
func promptLength(c *op.Call) dim.Dim {
	switch {
	case c.Int("model_type", 0) == 0:
		return c.Shape(0).At(1)
	case c.Has(beamDecoderIDs):
		return c.Shape(beamDecoderIDs).At(1)
	}
	return dim.Int(1)
}

// whisperBeamSearch adds the products of cross attention, batch x returned x
// layer heads x decoded length x frames, and a probability for each entry.
func whisperBeamSearch(c *op.Call) error {
	if err := beamSearch(c); err != nil {
		return err
	}
	batch := c.Shape(0).At(0)
	layerHeads := dim.Unknown()
	if c.Has(whisperLayerHeads) {
		layerHeads = c.Shape(whisperLayerHeads).At(0)
	}
	c.Set(whisperCrossProducts, onnxgraph.Float,
		tensor.MakeShape(batch, c.Number(beamReturned), layerHeads, dim.Unknown(), dim.Unknown()))
	c.Unknown(whisperCrossProducts, "the decoded length is known only at run time")
	c.Set(whisperSilence, beamDType(c), tensor.MakeShape(batch))
	return nil
}
