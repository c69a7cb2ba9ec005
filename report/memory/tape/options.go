package tape

import "strings"

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
	InPlaceAuto InPlace = iota // ReLU and its kin right after a convolution, normalisation or addition
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
	// AsWritten keeps ONNX operators as they stand.
	AsWritten bool
	// Trains decides which parameters train, by the name of the weight and the
	// labels of the nodes that read it; nil trains all.
	Trains func(name string, readers []string) bool
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

// Match reports whether a name matches a glob in which * stands for any
// characters, slashes and dots too, and ? for one.
func Match(glob, name string) bool {
	for {
		i := strings.IndexAny(glob, "*?")
		if i < 0 {
			return glob == name
		}
		if !strings.HasPrefix(name, glob[:i]) {
			return false
		}
		name = name[i:]
		if glob[i] == '?' {
			if name == "" {
				return false
			}
			glob, name = glob[i+1:], name[1:]
			continue
		}
		return matchRest(glob[i+1:], name)
	}
}

// matchRest matches what follows a star, at the first place where the text up
// to the next star fits, which is as good as any other.
func matchRest(glob, name string) bool {
	for {
		glob = strings.TrimLeft(glob, "*")
		if glob == "" {
			return true
		}
		part, rest, more := strings.Cut(glob, "*")
		if !more {
			return len(name) >= len(part) && fits(part, name[len(name)-len(part):])
		}
		at := -1
		for k := 0; k+len(part) <= len(name); k++ {
			if fits(part, name[k:k+len(part)]) {
				at = k
				break
			}
		}
		if at < 0 {
			return false
		}
		glob, name = rest, name[at+len(part):]
	}
}

func fits(part, text string) bool {
	for i := range len(part) {
		if part[i] != '?' && part[i] != text[i] {
			return false
		}
	}
	return true
}
