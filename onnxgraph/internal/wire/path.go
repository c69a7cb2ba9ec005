package wire

import (
	"strconv"
	"strings"
)

// FieldName is the name of the current field.
func (r *Reader) FieldName() string {
	if f := r.frames[r.depth].field; f != nil {
		return f.Name
	}
	return ""
}

// Path is the path of the current field, such as graph.node[3].name.
func (r *Reader) Path() string {
	path := r.Message()
	f := &r.frames[r.depth]
	if f.field == nil {
		return path
	}
	return extend(path, f)
}

// Message is the path of the current message, such as graph.node[3]; "" for
// the outermost. It is put together when first asked for.
func (r *Reader) Message() string {
	for i := 1; i <= r.depth; i++ {
		if f := &r.frames[i]; f.path == "" {
			f.path = extend(r.frames[i-1].path, &r.frames[i-1])
		}
	}
	return r.frames[r.depth].path
}

// extend appends the current field of f to the path of f's message.
func extend(path string, f *frame) string {
	var b strings.Builder
	b.WriteString(path)
	if path != "" {
		b.WriteByte('.')
	}
	b.WriteString(f.field.Name)
	if f.index >= 0 {
		b.WriteByte('[')
		b.WriteString(strconv.Itoa(f.index))
		b.WriteByte(']')
	}
	return b.String()
}
