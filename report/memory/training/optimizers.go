package training

import (
	"onnxmem/report/memory/internal/tape"
)

// An optimizer is what one update rule keeps and takes. States and temporaries
// are in multiples of a parameter's bytes, as measured of PyTorch 2 (torch.optim,
// and timm.optim for those that torch lacks).
type optimizer struct {
	name     string
	states   int64 // tensors of a parameter's size that it keeps
	counters int64 // numbers of 4 bytes that it keeps of each parameter
	others   int64 // such numbers for each parameter that is no matrix
	foreach  int64 // copies of all parameters that an update of all together takes
	quarters int64 // quarters of the largest parameter that it takes besides
	// single and previous are what an update one by one takes: copies of the
	// parameter under way, and of the one before it, which is still referenced.
	single, previous int64
	noForeach        bool // runs one by one in any case
	fused            bool // has a kernel without temporaries
	early            bool // makes its states before the first step
	special          func(dims []int64, size int64) (state int64)
}

// optimizerTable describes the optimizers.
var optimizerTable = [...]optimizer{
	Adam:                    {name: "adam", states: 2, counters: 1, foreach: 1, single: 2, previous: 1, fused: true},
	AdamW:                   {name: "adamw", states: 2, counters: 1, foreach: 1, single: 2, previous: 1, fused: true},
	SGD:                     {name: "sgd", fused: true},
	Momentum:                {name: "momentum", states: 1, fused: true},
	Nesterov:                {name: "nesterov", states: 1, single: 1, fused: true},
	AMSGrad:                 {name: "amsgrad", states: 3, counters: 1, foreach: 1, single: 2, previous: 1, fused: true},
	Adagrad:                 {name: "adagrad", states: 1, counters: 1, foreach: 2, single: 1, previous: 1, fused: true, early: true},
	RMSprop:                 {name: "rmsprop", states: 1, counters: 1, foreach: 1, single: 1, previous: 1},
	RMSpropCentered:         {name: "rmsprop-centered", states: 2, counters: 1, foreach: 1, single: 1, previous: 1},
	RMSpropMomentum:         {name: "rmsprop-momentum", states: 2, counters: 1, foreach: 1, single: 1, previous: 1},
	RMSpropCenteredMomentum: {name: "rmsprop-centered-momentum", states: 3, counters: 1, foreach: 1, single: 1, previous: 1},
	Adadelta:                {name: "adadelta", states: 2, counters: 1, foreach: 2, single: 2, previous: 1},
	Adamax:                  {name: "adamax", states: 2, counters: 1, foreach: 1, single: 1},
	NAdam:                   {name: "nadam", states: 2, counters: 2, foreach: 1, single: 2, previous: 1},
	RAdam:                   {name: "radam", states: 2, counters: 1, foreach: 1, single: 2},
	Rprop:                   {name: "rprop", states: 2, counters: 1, foreach: 1, quarters: 5, single: 3},
	ASGD:                    {name: "asgd", states: 1, counters: 3, foreach: 1, single: 1},
	Lion:                    {name: "lion", states: 1, foreach: 1, single: 1, previous: 1},
	LAMB:                    {name: "lamb", states: 2, foreach: 3, single: 3, previous: 2},
	Sophia:                  {name: "sophia", states: 2, counters: 1, foreach: 1, single: 2, previous: 1},
	Adafactor:               {name: "adafactor", counters: 1, foreach: 1, single: 1, previous: 1, special: factoredState},
	Adam8bit:                {name: "adam8bit", counters: 0, noForeach: true, special: eightBitState},
	AdamW8bit:               {name: "adamw8bit", counters: 0, noForeach: true, special: eightBitState},
	Muon:                    {name: "muon", others: 1, noForeach: true, special: muonState},
}

// state is what the optimizer keeps of one parameter, in bytes; size is that
// of an element of its states.
func (o *optimizer) state(dims []int64, size int64) int64 {
	if o.special != nil {
		state := o.special(dims, size) + 4*o.counters
		if len(dims) != 2 {
			state += 4 * o.others
		}
		return state
	}
	return o.states*elements(dims)*size + 4*o.counters
}

func elements(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// factoredState is that of Adafactor (Shazeer and Stern, 2018): of the last
// two dims only sums of rows and of columns.
func factoredState(dims []int64, size int64) int64 {
	n := elements(dims)
	k := len(dims)
	if k < 2 || dims[k-1] == 0 || dims[k-2] == 0 {
		return n * size
	}
	return (n/dims[k-1] + n/dims[k-2]) * size
}

// eightBitState is that of the 8-bit Adam (Dettmers et al., 2021): two bytes
// an element and two scales of 4 bytes per block of 256; small tensors keep 32
// bits.
func eightBitState(dims []int64, _ int64) int64 {
	n := elements(dims)
	if n < 4096 {
		return 8 * n
	}
	return 2*n + 2*4*((n+255)/256)
}

// muonState is one momentum of matrices; the rest is Adam's.
func muonState(dims []int64, size int64) int64 {
	if len(dims) == 2 {
		return elements(dims) * size
	}
	return 2 * elements(dims) * size
}

// temporaries is what the update takes at its peak, in bytes; size is that of
// an element in which it computes.
func (o *optimizer) temporaries(params []tape.Param, size int64, foreach, fused bool) int64 {
	if fused && o.fused {
		return 0
	}
	if foreach && !o.noForeach {
		total, largest := int64(0), int64(0)
		for i := range params {
			total += elements(params[i].Dims) * size
			largest = max(largest, elements(params[i].Dims)*size)
		}
		return o.foreach*total + o.quarters*largest/4
	}
	if o == &optimizerTable[Muon] {
		return muonTemporaries(params, size)
	}
	most, before := int64(0), int64(0)
	for i := range params {
		p := elements(params[i].Dims) * size
		most = max(most, o.single*p+o.previous*before)
		before = p
	}
	return most
}

// muonTemporaries are those of the orthogonalisation of a matrix, which runs
// in 16 bits (Jordan et al., Muon, 2024): the update, two iterates, and two
// products of the smaller side.
func muonTemporaries(params []tape.Param, size int64) int64 {
	most := int64(0)
	for i := range params {
		if d := params[i].Dims; len(d) == 2 {
			n := elements(d)
			side := min(d[0], d[1])
			most = max(most, n*size+2*2*n+2*2*side*side)
		}
	}
	return most
}
