package training

// reserve is what PyTorch's caching allocator takes from the device.
func reserve(s *pass, res *Result, temps int64) int64 {
	const segment = 2 << 20
	return (res.PeakBytes + segment - 1) / segment * segment
}
