// Package catalogue puts the families of operators together.
package catalogue

import (
	"slices"
	"sync"

	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/contrib"
	"onnxmem/shapeinfer/op/internal/ml"
	"onnxmem/shapeinfer/op/internal/standard/attention"
	"onnxmem/shapeinfer/op/internal/standard/control"
	"onnxmem/shapeinfer/op/internal/standard/elementwise"
	"onnxmem/shapeinfer/op/internal/standard/generate"
	"onnxmem/shapeinfer/op/internal/standard/linalg"
	"onnxmem/shapeinfer/op/internal/standard/movement"
	"onnxmem/shapeinfer/op/internal/standard/nn"
	"onnxmem/shapeinfer/op/internal/standard/reduce"
	"onnxmem/shapeinfer/op/internal/standard/signal"
	"onnxmem/shapeinfer/op/internal/standard/text"
	"onnxmem/shapeinfer/op/internal/standard/training"
	"onnxmem/shapeinfer/op/internal/standard/vision"
)

// Default returns the catalogue of all operators that the program knows, the
// same one at each call. Several goroutines may use it.
func Default() *op.Catalogue { return shared() }

var shared = sync.OnceValue(New)

// New makes the catalogue of all operators that the program knows.
func New() *op.Catalogue {
	return op.NewCatalogue(slices.Concat(
		elementwise.Families(),
		reduce.Families(),
		movement.Families(),
		generate.Families(),
		linalg.Families(),
		nn.Families(),
		attention.Families(),
		vision.Families(),
		signal.Families(),
		text.Families(),
		control.Families(),
		training.Families(),
		ml.Families(),
		contrib.Families(),
	)...)
}
