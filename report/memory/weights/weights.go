package weights

import (
	"sort"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
)

// A Role says what training does with a stored tensor.
type Role uint8

// The roles of stored tensors.
const (
	Constant  Role = iota // nothing: shapes, indices, scalars, quantisation, tables
	Buffer                // keeps it without a gradient: the running statistics of BatchNormalization
	Trainable             // updates it
	Frozen                // keeps it as it is, though it could: see [Weights.Select]
)

func (r Role) String() string { return [...]string{"constant", "buffer", "trainable", "frozen"}[r] }

// A Tensor is one constant that the model stores: an initializer, dense
// or sparse, or the value of a Constant node.
type Tensor struct {
	Name     string
	Graph    string // path of the scope that holds it
	DType    onnxgraph.DType
	Dims     []int64
	Elements int64
	Bytes    int64 // in memory, dense, packed below a byte; of strings their bytes
	Stored   int64 // in the file: less than Bytes for sparse tensors
	Role     Role
	// Tensor holds the values, nil for those that a Constant node gives as
	// plain numbers or strings. Of sparse tensors it holds the values that are
	// not zero.
	Tensor *onnxgraph.Tensor
	// Readers are the operators that read it, each name once.
	Readers []op.ID
	node    bool // of a Constant node
	unsized bool
}

// Set are all constants that a model stores, each stored tensor once
// however often it is used.
type Set struct {
	Tensors []Tensor // in the order of the file: main graph, its bodies, functions
	Bytes   int64
	Stored  int64
	// Unsized counts the tensors that count nowhere else, since wrong dims or an
	// unknown type leave their size open.
	Unsized int
	// BytesByDType and ElementsByDType split the totals by element type.
	BytesByDType    map[onnxgraph.DType]int64
	ElementsByDType map[onnxgraph.DType]int64

	Count          int64 // elements of all tensors of any type, 4-bit ones singly
	Trainable      int64 // elements that training updates, the restored ones included
	Buffers        int64 // elements
	Constants      int64 // elements, frozen ones too; Count = Trainable - Restored + Buffers + Constants
	TrainableBytes int64 // of the stored tensors that train, and the restored vectors
	// Restored are the elements of the scale vectors of BatchNormalizations
	// that the exporter folded into convolutions, part of Trainable.
	Restored      int64
	RestoredBytes int64
	Folded        []FoldedBatchNorm
}

// Size is Bytes, as a lower limit where some tensors have no size.
func (w *Set) Size() memory.Size { return memory.Bounded(w.Bytes, w.Bytes, w.Unsized > 0) }

// NonTrainableBytes are the bytes of the stored tensors that do not train.
func (w *Set) NonTrainableBytes() int64 { return w.Bytes - (w.TrainableBytes - w.RestoredBytes) }

// Options steer how stored tensors count.
type Options struct {
	// BatchNorm says how folded BatchNormalizations are found.
	BatchNorm BatchNormMode
	// Catalogue says which inputs of operators are weights; nil stands for all
	// operators that the program knows.
	Catalogue *op.Catalogue
}

// Collect counts the constants that a model stores.
func Collect(p *onnxgraph.Program, opts Options) *Set {
	known := opts.Catalogue
	if known == nil {
		known = catalogue.Default()
	}
	w := &Set{BytesByDType: map[onnxgraph.DType]int64{}, ElementsByDType: map[onnxgraph.DType]int64{}}
	c := &collector{w: w, seen: map[*onnxgraph.Tensor]bool{}, roles: newRoleFinder(p, known)}
	c.scope(p.Main)
	for _, key := range sortedFunctions(p) {
		c.scope(p.Functions[key])
	}
	w.withoutStandIns(known)
	w.withoutFrozenNorms(p)
	if opts.BatchNorm != BatchNormNone {
		w.Folded = foldedBatchNorms(p, opts.BatchNorm)
	}
	w.total()
	return w
}

func sortedFunctions(p *onnxgraph.Program) []onnxgraph.FunctionKey {
	keys := make([]onnxgraph.FunctionKey, 0, len(p.Functions))
	for k := range p.Functions {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		if a.Domain != b.Domain {
			return a.Domain < b.Domain
		}
		if a.Name != b.Name {
			return a.Name < b.Name
		}
		return a.Overload < b.Overload
	})
	return keys
}

// total adds the tensors up.
func (w *Set) total() {
	trains := map[*onnxgraph.Tensor]bool{}
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if t.unsized {
			w.Unsized++
		}
		w.Bytes, w.Stored, w.Count = memory.AddBytes(w.Bytes, t.Bytes), memory.AddBytes(w.Stored, t.Stored), memory.AddBytes(w.Count, t.Elements)
		w.BytesByDType[t.DType] = memory.AddBytes(w.BytesByDType[t.DType], t.Bytes)
		w.ElementsByDType[t.DType] = memory.AddBytes(w.ElementsByDType[t.DType], t.Elements)
		switch t.Role {
		case Trainable:
			w.Trainable, w.TrainableBytes = memory.AddBytes(w.Trainable, t.Elements), memory.AddBytes(w.TrainableBytes, t.Bytes)
			trains[t.Tensor] = true
		case Buffer:
			w.Buffers = memory.AddBytes(w.Buffers, t.Elements)
		default:
			w.Constants = memory.AddBytes(w.Constants, t.Elements)
		}
	}
	for _, f := range w.Folded {
		if !trains[f.Weight] {
			continue // a frozen layer's BatchNormalization is frozen, too
		}
		w.Restored = memory.AddBytes(w.Restored, f.Channels)
		bytes, _ := onnxgraph.ByteSize(f.Bias.DType, f.Channels)
		w.RestoredBytes = memory.AddBytes(w.RestoredBytes, bytes)
	}
	w.Trainable = memory.AddBytes(w.Trainable, w.Restored)
	w.TrainableBytes = memory.AddBytes(w.TrainableBytes, w.RestoredBytes)
}
