package memory_test

import (
	"bytes"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/testdata/corpus"
)

func readModel(t testing.TB, m corpus.Model) *onnxgraph.Model {
	t.Helper()
	data := m.Bytes(t)
	model, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return model
}

// otherCount are the models whose file does not hold what the framework's
// module held, so that no reading of the file gives the module's count.
var otherCount = map[string]string{
	"bert_2l_dyn23":                "the exporter dropped the pooler, whose result nobody used",
	"gpt2_2l_past_ts17":            "the embedding and the tied output projection are stored twice",
	"mamba_2l_ts17":                "the embedding and the tied output projection are stored twice",
	"bert_base_dynamic_int8":       "weights are integers",
	"resnet18_qdq_int8":            "weights are integers",
	"own_unet3_ts17":               "convolutions had a bias of their own before the folded BatchNormalization",
	"timm_maxvit_tiny_tf_224_ts17": "the first convolution had a bias of its own before the folded BatchNormalization",
}

// TestZooWeights holds bytes and counts of stored tensors against what the
// exporting framework and the runtime counted.
func TestZooWeights(t *testing.T) {
	for _, m := range corpus.Zoo(t) {
		w := memory.Stored(onnxgraph.Resolve(readModel(t, m.Model)), memory.WeightOptions{})
		if want := m.Parameters.InitializerBytes; want != nil && w.Bytes != *want {
			t.Errorf("%s: %d bytes, is %d", m.Name, w.Bytes, *want)
		}
		if w.Count != w.Trainable-w.Restored+w.Buffers+w.Constants {
			t.Errorf("%s: %d elements are not %d + %d + %d", m.Name, w.Count, w.Trainable-w.Restored, w.Buffers, w.Constants)
		}
		want := m.Parameters.Count
		if want == nil {
			continue
		}
		why, other := otherCount[m.Name]
		switch {
		case !other && w.Trainable != *want:
			t.Errorf("%s: %d trainable (%d restored), is %d: %+d", m.Name, w.Trainable, w.Restored, *want, w.Trainable-*want)
		case other && w.Trainable == *want:
			t.Errorf("%s: equals the module's count although %s: take it off the list", m.Name, why)
		}
	}
}
