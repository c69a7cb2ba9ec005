// Command onnxmem says how much memory a model takes, to run and to train,
// from its .onnx file alone.
package main

import (
	"os"
	"runtime"
)

func main() {
	heap := startHeap()
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	runtime.KeepAlive(heap)
	os.Exit(code)
}
