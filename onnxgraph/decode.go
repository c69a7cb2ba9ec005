package onnxgraph

import "onnxmem/onnxgraph/internal/wire"

// A decoder turns the fields of a model file into Go values. Decoding is one
// pass without lookahead; each method below reads one message type into a
// value that may already hold an earlier part of it, so that a repeated
// singular message merges, as in every protobuf reader.
type decoder struct {
	*wire.Reader
	model *Model
	data  *source

	lastNote string // path of the last oddity or unknown field
	noteText int    // bytes of such paths kept

	nodes      slab[Node]
	attributes slab[Attribute]
	tensors    slab[Tensor]
	values     slab[ValueInfo]
	types      slab[Type]
	shapes     slab[Shape]
	inputs     stack[string]
	outputs    stack[string]
	attrs      stack[*Attribute]
	dims       stack[Dim]
	ints       stack[int64]
}

// extent is the place of the current value.
func (d *decoder) extent() Extent {
	offset, length := d.Extent()
	return Extent{Offset: offset, Length: length}
}

// note records what the wire reader found odd.
func (d *decoder) note(n wire.Note) {
	if !n.Unknown {
		d.odd(RepeatedSingular, n.Name, n.Offset)
		return
	}
	m := d.model
	if path, ok := d.notePath(&m.UnknownOmitted, len(m.Unknown)); ok {
		m.Unknown = append(m.Unknown, UnknownField{
			Path: path, Number: n.Number, Extent: Extent{Offset: n.Offset, Length: n.Length},
		})
	}
}

// odd records an encoding of a field of the current message that two readers
// may understand differently.
func (d *decoder) odd(code OddityCode, field string, offset int64) {
	m := d.model
	if path, ok := d.notePath(&m.OdditiesOmitted, len(m.Oddities)); ok {
		m.Oddities = append(m.Oddities, Oddity{Code: code, Path: path, Field: field, Offset: offset})
	}
}

// The lists of unknown fields and oddities stay small next to the file, which
// may hold one every two bytes, deep inside, where each has a long path.
const (
	maxNotes    = 1 << 16 // of a kind
	maxNoteText = 1 << 20 // bytes of paths, of all kinds
)

// notePath is the path of the current message for one more note in a list that
// has some. ok is false when there are too many; the note counts as omitted.
func (d *decoder) notePath(omitted *int64, have int) (path string, ok bool) {
	if have >= maxNotes || d.noteText > maxNoteText {
		*omitted++
		return "", false
	}
	path = d.Message()
	if path != d.lastNote { // notes of one message share its path
		d.lastNote = path
		d.noteText += len(path)
	}
	return path, true
}

func (d *decoder) stringEntries(list []StringEntry) []StringEntry {
	var e StringEntry
	d.Enter(len(list))
	for d.Next() {
		switch d.Number() {
		case 1:
			e.Key = d.Text()
		case 2:
			e.Value = d.Text()
		}
	}
	d.Leave()
	return append(list, e)
}

func (d *decoder) opsetImports(list []OpsetImport) []OpsetImport {
	var imp OpsetImport
	d.Enter(len(list))
	for d.Next() {
		switch d.Number() {
		case 1:
			imp.Domain = d.Text()
		case 2:
			imp.Version = d.Int64()
		}
	}
	d.Leave()
	return append(list, imp)
}
