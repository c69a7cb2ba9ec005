// Command onnxmem says how much memory a model takes, to run and to train,
// from its .onnx file alone.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
