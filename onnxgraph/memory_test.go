package onnxgraph_test

import (
	"bufio"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// resetPeak forgets the peak of resident memory so far and returns a function
// that gives the peak since, in MiB. Where the system does not tell (it is
// Linux that does, proc(5)), it is what the Go heap took from the system.
func resetPeak() func() float64 {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err == nil {
		return func() float64 { return float64(procBytes("/proc/self/status", "VmHWM:")) / (1 << 20) }
	}
	return func() float64 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return float64(s.HeapSys) / (1 << 20)
	}
}

// availableMemory is how many bytes can be had without swapping; everything
// where the system does not tell.
func availableMemory() int64 {
	if n := procBytes("/proc/meminfo", "MemAvailable:"); n > 0 {
		return n
	}
	return math.MaxInt64
}

// procBytes is the value, in bytes, of a line of a file of the proc file
// system that counts in kB; 0 when there is none.
func procBytes(path, key string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), key)
		if fields := strings.Fields(rest); ok && len(fields) > 0 {
			n, _ := strconv.ParseInt(fields[0], 10, 64)
			return n << 10
		}
	}
	return 0
}
