package liveness

import "onnxmem/report/memory"

// LargestStep is the largest sum of what one step makes: no order of steps and
// no allocator can do with less.
func (p *Program) LargestStep() memory.Size {
	var largest memory.Size
	for i := range p.Steps {
		largest = largest.Max(p.made(int32(i)))
	}
	return largest
}
