// Package cost measures what a piece of a test takes. It reads no clock: how
// long a piece lasts depends on what else the machine does.
package cost

import (
	"runtime"
	"time"
)

// A Cost is what the whole process took during a piece of work, collecting
// garbage included. Tests that run in parallel would count each other.
type Cost struct {
	Processor time.Duration // of all threads, in user and system mode; 0 where the system does not say
	Allocated uint64        // bytes, those freed again included
}

// Of runs a piece of work.
func Of(work func()) Cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took := Processor(work)
	runtime.ReadMemStats(&after)
	return Cost{took, after.TotalAlloc - before.TotalAlloc}
}

// Processor is the processor time of [Of] alone, for work so short that
// counting allocations would take longer.
func Processor(work func()) time.Duration {
	start := processorTime()
	work()
	return processorTime() - start
}

// Max is the larger of each number.
func (c Cost) Max(d Cost) Cost {
	return Cost{max(c.Processor, d.Processor), max(c.Allocated, d.Allocated)}
}
