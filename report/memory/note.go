package memory

// A NoteCode names what a [Note] is about. The package that makes a note lists
// its codes.
type NoteCode string

// A Note is something that a reader of a number should know: what was taken for
// granted, what it is worth, and the option that decides otherwise.
type Note struct {
	Code NoteCode
	// Bytes are at stake; 0 where that has no meaning.
	Bytes int64
	// Count says how many tensors or nodes it is about.
	Count int
	// Tensor is the largest stored tensor that it is about, Related the other one
	// where two are compared, Node the label of a node; empty for none.
	Tensor, Related, Node string
	// Option is the option that overrides what was taken for granted, without
	// dashes; empty for none.
	Option string
}
