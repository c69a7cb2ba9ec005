package cost

import (
	"runtime"
	"testing"
	"time"
)

// TestOf: work that spins takes processor time, work that waits does not, and
// allocations count when they are garbage, too.
func TestOf(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("the system does not say what a process took")
	}
	var sink []byte
	busy := Of(func() {
		for i := 0; i < 1000; i++ {
			sink = make([]byte, 1<<16)
		}
	})
	if busy.Allocated < 1000<<16 || busy.Processor <= 0 {
		t.Errorf("%+v for %d bytes", busy, 1000*len(sink))
	}
	if idle := Of(func() { time.Sleep(20 * time.Millisecond) }); idle.Processor >= 20*time.Millisecond || idle.Allocated > 1<<16 {
		t.Errorf("%+v for waiting", idle)
	}
}
