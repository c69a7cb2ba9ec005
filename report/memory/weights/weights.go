package weights

import (
	"sort"

	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
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
	Frozen                // keeps it as it is, though it could: see [Set.Select]
	Tied                  // is a copy of a tensor that trains, which the module has once
)

func (r Role) String() string {
	return [...]string{"constant", "buffer", "trainable", "frozen", "tied"}[r]
}

// A Tensor is one constant that the model stores: an initializer, dense
// or sparse, or the value of a Constant node.
type Tensor struct {
	Name     string
	Graph    string // path of the scope that holds it
	DType    onnxgraph.DType
	Dims     []int64
	Elements int64 // that it stands for: of packed weights more than Dims say
	Bytes    int64 // in memory, dense, packed below a byte; of strings their bytes
	Stored   int64 // in the file: less than Bytes for sparse tensors
	Role     Role
	// Tensor holds the values, nil for those that a Constant node gives as
	// plain numbers or strings. Of sparse tensors it holds the values that are
	// not zero.
	Tensor *onnxgraph.Tensor
	// Readers are the operators that read it, each name once.
	Readers []op.ID
	// Unread says that neither a node nor the graph's outputs read it. Runtimes
	// drop it when they load the model.
	Unread bool
	// Original is the tensor that a Tied one is a copy of, and Transposed says
	// that its axes are swapped.
	Original   *onnxgraph.Tensor
	Transposed bool

	node    bool // of a Constant node
	unsized bool
	origin  origin
	byName  bool // only its name decided its role
	open    bool // it may be a parameter after all, if the caller names it
	fixed   bool // its contents say that it does not train
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
	Constants      int64 // elements, frozen and tied ones too; Count = Trainable - FoldedBatchNorm + Buffers + Constants
	TrainableBytes int64 // of the stored tensors that train, and the restored vectors
	// FoldedBatchNorm are the elements of the vectors that the file lacks, since the
	// exporter folded a BatchNormalization into a convolution or computed a
	// weight from a direction and lengths, part of Trainable.
	FoldedBatchNorm int64
	RestoredBytes   int64
	Folded          []FoldedBatchNorm
	Normed          []NormedWeight
	// UnreadBytes are those of tensors that nothing reads, part of Bytes.
	UnreadBytes int64
	// Notes say what was taken for granted.
	Notes []finding.Finding
}

// Size is Bytes, as a lower limit where some tensors have no size.
func (w *Set) Size() memory.Size { return memory.Bounded(w.Bytes, w.Bytes, w.Unsized > 0) }

// LoadedSize is Size without the tensors that nothing reads, which runtimes drop.
func (w *Set) LoadedSize() memory.Size {
	n := w.Bytes - w.UnreadBytes
	return memory.Bounded(n, n, w.Unsized > 0)
}

// NonTrainableBytes are the bytes of the stored tensors that do not train.
func (w *Set) NonTrainableBytes() int64 { return w.Bytes - (w.TrainableBytes - w.RestoredBytes) }

// Options steer how stored tensors count.
type Options struct {
	// BatchNorm says how folded BatchNormalizations are found.
	BatchNorm BatchNormMode
	// Catalogue says which inputs of operators are weights; nil stands for all
	// operators that the program knows.
	Catalogue *op.Catalogue
	// Untie takes equal tensors for weights of their own. Otherwise a copy of a
	// tensor that trains is tied to it, as where an exporter stored the transpose
	// of an embedding for the output projection.
	Untie bool
	// NoFusion takes weights that the exporter may have computed for weights of
	// their own.
	NoFusion bool
	// SkipContents reads none of the tensors, so that neither copies nor fixed
	// tables are found: for files to which every reading is a request.
	SkipContents bool
}

// Collect counts the constants that a model stores.
func Collect(p *onnxgraph.Program, opts Options) *Set {
	known := opts.Catalogue
	if known == nil {
		known = catalogue.Default()
	}
	w := &Set{BytesByDType: map[onnxgraph.DType]int64{}, ElementsByDType: map[onnxgraph.DType]int64{}}
	c := &collector{w: w, seen: map[*onnxgraph.Tensor]bool{}, sizes: map[*onnxgraph.Tensor]int64{}, roles: newRoleFinder(p, known, !opts.SkipContents)}
	c.scope(p.Main)
	for _, key := range sortedFunctions(p) {
		c.scope(p.Functions[key])
	}
	w.withoutPlaceholders(known)
	w.withoutFrozenNorms(p)
	w.unpack(c.sizes)
	if !opts.SkipContents {
		w.tie(opts.Untie)
	}
	w.restore(p, opts)
	w.total()
	w.note()
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
		if t.Unread {
			w.UnreadBytes = memory.AddBytes(w.UnreadBytes, t.Bytes)
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
		added := memory.MulBytes(f.Channels, f.vectors())
		w.FoldedBatchNorm = memory.AddBytes(w.FoldedBatchNorm, added)
		bytes, _ := onnxgraph.ByteSize(f.Bias.DType, added)
		w.RestoredBytes = memory.AddBytes(w.RestoredBytes, bytes)
	}
	for _, n := range w.Normed {
		if trains[n.Weight] {
			w.FoldedBatchNorm = memory.AddBytes(w.FoldedBatchNorm, n.Rows)
			bytes, _ := onnxgraph.ByteSize(n.Weight.DType, n.Rows)
			w.RestoredBytes = memory.AddBytes(w.RestoredBytes, bytes)
		}
	}
	w.Trainable = memory.AddBytes(w.Trainable, w.FoldedBatchNorm)
	w.TrainableBytes = memory.AddBytes(w.TrainableBytes, w.RestoredBytes)
}
