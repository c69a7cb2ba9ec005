package report

import (
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// Options steer a report.
type Options struct {
	Infer      shapeinfer.Options
	BatchNorm  weights.BatchNormMode
	FreeInputs bool   // the caller lets go of inputs after their last use
	InPlace    bool   // elementwise nodes write over dying inputs
	Runtime    string // name of a runtime profile; empty for none
	Top        int    // how many of the largest things are listed; 0 means 10
	PerNode    bool   // fill Result.Nodes
	Timeline   bool   // fill Inference.Timeline
	Digest     bool   // hash the file, which reads all of it
	Duplicates bool   // look for weights of equal contents, which reads a little of each
	// SkipContents reads no weights, so that copies of weights and fixed tables
	// are not found: for files to which every reading is a request.
	SkipContents bool
	Training     training.Options
	Advice       bool // try changes to the training, each a simulation of its own
	// KeepGoing leaves a section out that runs into a bug of this program, with a
	// diagnostic of code "internal", instead of panicking.
	KeepGoing bool
}
