package op

// families lists the tables of operators, one per file.
func families() [][]Op {
	return [][]Op{
		identityOps,
		attentionOps,
		batchNormOps,
		centerCropPadOps,
		col2ImOps,
		convOps,
		convTransposeOps,
		depthSpaceOps,
		detOps,
		einsumOps,
		flexAttentionOps,
		fourierOps,
		gemmOps,
		globalPoolOps,
		gridOps,
		imageDecoderOps,
		linearAttentionOps,
		matMulOps,
		normOps,
		padOps,
		poolOps,
		recurrentOps,
		resizeOps,
		roiOps,
		sequenceCacheOps,
		upsampleOps,
	}
}
