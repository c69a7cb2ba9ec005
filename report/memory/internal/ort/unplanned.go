package ort

import (
	"fmt"
	"strings"
	"sync"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/op"
)

// notPlanned says why the nodes of a graph that is loaded cannot be planned, by
// the first that cannot: it has no kernel, or nothing tells which one. Empty
// where all can.
func (l *loader) notPlanned(s *shapeinfer.Scope) string {
	opset, _ := l.model.Opset("")
	for i, n := range s.Graph.Nodes {
		if onnxgraph.CanonicalDomain(n.Domain) == op.DomainMicrosoft && noCPUKernel()[n.OpType] && !l.float16 {
			return fmt.Sprintf("ONNX Runtime's CPU provider has no kernel for %s", n.OpType)
		}
		if b, ok := findBody(n); ok {
			c := bodyCall{node: n, index: int32(i), types: s, opset: opset, float16: l.float16}
			switch {
			case len(n.Inputs) > 0 && c.kind(0) == onnxgraph.KindUnset:
				return fmt.Sprintf("which kernels ONNX Runtime runs for %s depends on a type that is not known", n.OpType)
			case b.since <= c.since() && !b.mayHaveKernel(&c):
				return fmt.Sprintf("ONNX Runtime has no kernel for %s, and what it runs instead is not known", n.OpType)
			}
		}
		for _, body := range s.Nodes[i].Subgraphs {
			if body == nil {
				continue
			}
			if reason := l.notPlanned(body); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// mayHaveKernel reports whether the list of kernels leaves room for one: it
// holds those of the versions that have a body.
func (b *functionBody) mayHaveKernel(c *bodyCall) bool {
	if b.opsets != nil && int64(c.since()) < b.opsets[0] {
		return true
	}
	return b.hasKernel(c)
}

// noCPUKernel are the operators of com.microsoft for which its CPU provider has no
// kernel.
var noCPUKernel = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(withoutCPUKernel) {
		m[name] = true
	}
	return m
})

// withoutCPUKernel lists them, in version 1.32. Source: the operators and the
// kernel definitions that the runtime lists
// (onnxruntime.capi._pybind_state.get_all_operator_schema, get_all_opkernel_def).
const withoutCPUKernel = `
BiasAdd BiasDropout BiasSoftmax BiasSplitGelu BitmaskBiasDropout BitmaskDropout ComplexMul ComplexMulConj
ConvStateReplay DecoderAttention DecoderMaskedSelfAttention DequantizeBFP DequantizeWithOrder
DynamicSparseAttention EPContext FusedMatMulActivation GatedDeltaNetStateReplay GatedRelativePositionBias
GemmFastGelu GemmFloat8 GemmaRotaryEmbedding GroupNorm HyperConnectionLowRankMix Irfft IsAllFinite
LongformerAttention Mamba2Verify MatMulBlockQuantizedFp4Weight MatMulBlockQuantizedFp8Weight MatMulNBitsMlp
MatMulNBitsQLoRA MatMulNBitsQkv MatMulPacked MoEPacked MulInteger NhwcConv NhwcFusedConv PackedAttention
PackedMultiHeadAttention PackedSparseAttentionIndexer PackedSparseAttentionIndexerMerge PagedAttention
QLinearReduceMean QOrderedAttention QOrderedGelu QOrderedLayerNormalization QOrderedLongformerAttention
QOrderedMatMul QuantizeBFP QuantizeWithOrder RMSNormRotary ReduceSumInteger RelativePositionBias RemovePadding
RestorePadding Rfft RouterGateUpProj SkipGroupNorm Snpe SparseAttentionIndexer SparsePagedAttention
SpeculativePrefixCommit SwiGLU TorchEmbedding
`
