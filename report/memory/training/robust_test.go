package training_test

import (
	"bytes"
	"errors"
	"runtime/debug"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory/training"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
)

// TestAnyModel trains whatever model there is, sensible or not: each gives
// numbers that fit together, or a reason.
func TestAnyModel(t *testing.T) {
	for _, list := range []string{corpus.Node, corpus.Versions, corpus.Contrib, corpus.Infer} {
		for _, c := range corpus.Manifest(t, list) {
			anyModel(t, list+"/"+c.Name, c.Bytes(t))
		}
	}
	for _, m := range corpus.Zoo(t) {
		anyModel(t, m.Name, m.Bytes(t))
	}
	for _, c := range corpus.Cases(t) {
		anyModel(t, c.Name, c.Bytes(t))
	}
}

func anyModel(t *testing.T, name string, data []byte) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v %s", name, p, debug.Stack())
		}
	}()
	m, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return
	}
	r, err := shapeinfer.Infer(m, shapeinfer.Options{DefaultDims: 2})
	if err != nil {
		return
	}
	for _, opts := range []training.Options{
		training.Options{}, {NoFusion: true}, {Precision: training.AMPFP16, Loss: training.LossCrossEntropy}, {Precision: training.BF16Master, Checkpoint: training.CheckpointSqrt(), Dropout: training.DropoutRate(.1)},
		{LoRARank: 8, Zero: 3, GPUs: 4, InPlace: training.InPlaceOn}, {Attention: training.AttentionEager, Accumulate: 2},
	} {
		res, err := training.Simulate(r, opts)
		if err != nil {
			var unknown *training.UnknownError
			if !errors.As(err, &unknown) || unknown.Code == "" {
				t.Errorf("%s: %v", name, err)
			}
			if testing.Verbose() {
				t.Logf("%s: %v", name, err)
			}
			continue
		}
		sane(t, name, res)
	}
}

// sane holds the numbers of a result against each other.
func sane(t *testing.T, name string, r *training.Result) {
	t.Helper()
	s := r.AtPeak
	for _, n := range []int64{s.Parameter, s.Buffer, s.Gradient, s.Activation, s.Temporary, s.OptimizerStates, s.Input, r.SavedBytes, r.GradientBytes} {
		if n < 0 {
			t.Errorf("%s: negative: %+v", name, s)
			return
		}
	}
	l := r.Timeline
	if s.Sum() != r.PeakBytes || r.PeakBytes != max(l.MaxForward, l.MaxBackward, l.MaxStep) {
		t.Errorf("%s: peak %d, parts %d, phases %+v", name, r.PeakBytes, s.Sum(), l)
	}
	if l.EndForward > l.MaxForward || l.AfterBackward > max(l.MaxBackward, l.MaxStep) || l.Initial > l.MaxForward {
		t.Errorf("%s: levels above the phases' maxima: %+v", name, l)
	}
	if r.FirstStepPeakBytes > r.PeakBytes {
		t.Errorf("%s: the first step takes %d, a later one %d", name, r.FirstStepPeakBytes, r.PeakBytes)
	}
	if r.ReservedBytes < r.PeakBytes {
		t.Errorf("%s: reserved %d below the peak %d", name, r.ReservedBytes, r.PeakBytes)
	}
	sum := int64(0)
	for _, n := range r.SavedByOp {
		sum += n
	}
	if sum != r.SavedWithDropoutBytes {
		t.Errorf("%s: saved %d, by operator %d", name, r.SavedWithDropoutBytes, sum)
	}
}
