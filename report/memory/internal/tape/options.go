package tape

// An Attention says what runs attention in training.
type Attention uint8

// The ways to run attention.
const (
	AttentionAuto  Attention = iota // fused, but for grouped heads in 32 bits, which no kernel takes
	AttentionFused                  // one kernel, which keeps no matrix of scores
	AttentionEager                  // matrix products and a softmax
)

// An InPlace says which activations write over their input.
type InPlace uint8

// The ways to run activations in place.
const (
	InPlaceAuto InPlace = iota // ReLU and LeakyReLU right after a convolution, normalisation or addition
	InPlaceOn                  // wherever nobody else reads the input
	InPlaceOff
)

// Options steer how a graph becomes a tape.
type Options struct {
	// Half runs everything in 16 bits; Autocast only products, with weights in
	// 32 bits.
	Half     bool
	Autocast bool

	Attention Attention
	InPlace   InPlace
	// Dropout is the probability of dropouts that the export no longer shows: 0
	// has them in language models only, where they are the rule, and below 0
	// nowhere.
	Dropout float64
	// NoFusion keeps ONNX operators as they stand.
	NoFusion bool
	// LoRARank trains two factors of that rank beside each linear layer
	// instead of the layers; 0 does not.
	LoRARank int64
}

func (o *Options) elementSize() int64 {
	if o.Half {
		return 2
	}
	return 4
}
