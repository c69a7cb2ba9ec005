package onnxgraph

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"onnxmem/onnxgraph/internal/wire"
)

// A File is a model read from a file, which stays open so that the values of
// its tensors can be read. Close releases it and every data file opened on the
// way.
type File struct {
	*Model
	file *os.File
	data *source
}

// Open reads the model in the file of that name. External data is looked for
// in the same folder, when somebody asks for it.
//
// Errors are a [*NotONNXError] when the file is something else, a
// [*FormatError] when it is damaged, or what the file system said.
func Open(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, notRegular(info.Mode()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data := &source{file: f, size: info.Size(), opener: folderOf(path)}
	m, err := read(data)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.Path = path
	return &File{Model: m, file: f, data: data}, nil
}

// ReadAt reads bytes of the model file itself, such as those of an
// [UnknownField].
func (f *File) ReadAt(p []byte, off int64) (int, error) { return f.file.ReadAt(p, off) }

// Close closes the file and its data files. Values cannot be read any more;
// everything else stays usable.
func (f *File) Close() error {
	err := f.data.close()
	if e := f.file.Close(); err == nil {
		err = e
	}
	return err
}

// Read reads a model from the first size bytes of r, which must stay readable
// for as long as values of tensors are wanted. External data cannot be read;
// see [ReadWith].
func Read(r io.ReaderAt, size int64) (*Model, error) {
	return ReadWith(r, size, nil)
}

// ReadWith is Read for a model whose external data is opened by opener.
func ReadWith(r io.ReaderAt, size int64, opener DataOpener) (*Model, error) {
	return read(&source{file: r, size: size, opener: opener})
}

// newDecoder returns a decoder of a message of type root that data holds.
func newDecoder(data *source, root wire.MessageID) *decoder {
	d := &decoder{
		Reader: wire.NewReader(data.file, data.size, onnxSchema, root),
		model:  &Model{Size: data.size},
		data:   data,
	}
	d.Note = d.note
	return d
}

func read(data *source) (*Model, error) {
	d := newDecoder(data, modelProto)
	d.readModel()
	if err := d.Err(); err != nil || d.model.Graph == nil {
		return nil, explain(data, err)
	}
	return d.model, nil
}

// folderOf is the opener of data files beside the model at path.
func folderOf(path string) DataOpener {
	return folder{dir: filepath.Dir(path), model: path}
}
