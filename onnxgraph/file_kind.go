package onnxgraph

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// A FileKind names what a file is that is no ONNX model. Kinds are
// append-only.
type FileKind string

// The kinds that are recognised.
const (
	KindFolder      FileKind = "folder"
	KindEmpty       FileKind = "empty"
	KindNoGraph     FileKind = "no-graph"
	KindGitLFS      FileKind = "git-lfs-pointer"
	KindORT         FileKind = "ort-format"
	KindTFLite      FileKind = "tflite"
	KindTorch       FileKind = "pytorch"
	KindNumPy       FileKind = "numpy"
	KindZip         FileKind = "zip"
	KindSafetensors FileKind = "safetensors"
	KindGGUF        FileKind = "gguf"
	KindHDF5        FileKind = "hdf5"
	KindPickle      FileKind = "pickle"
	KindGzip        FileKind = "gzip"
	KindBzip2       FileKind = "bzip2"
	KindXZ          FileKind = "xz"
	KindZstd        FileKind = "zstd"
	Kind7z          FileKind = "7z"
	KindTar         FileKind = "tar"
	KindHTML        FileKind = "html"
	KindXML         FileKind = "xml"
	KindJSON        FileKind = "json"
	KindONNXText    FileKind = "onnx-text"
	KindProtoText   FileKind = "protobuf-text"
	KindText        FileKind = "text"
	KindProgram     FileKind = "program"
	KindPDF         FileKind = "pdf"
	KindImage       FileKind = "image"
	KindTensorProto FileKind = "onnx-tensor"
)

// kindTexts says in words what each kind is and, where there is one, the way
// from it to an ONNX file.
var kindTexts = map[FileKind]string{
	KindFolder:      "it is a folder; name a file in it",
	KindEmpty:       "the file is empty",
	KindNoGraph:     "it parses as protobuf but holds no graph",
	KindGitLFS:      "it is a Git LFS pointer, not the file itself; fetch it with git lfs pull",
	KindORT:         "it is a model in ONNX Runtime's own ORT format (a flatbuffer), which is made from an ONNX file",
	KindTFLite:      "it is a TensorFlow Lite model (a flatbuffer)",
	KindTorch:       "it is a PyTorch checkpoint; export it with torch.onnx.export",
	KindNumPy:       "it is a NumPy file",
	KindZip:         "it is a zip archive",
	KindSafetensors: "it is a safetensors file, which holds weights but no graph",
	KindGGUF:        "it is a GGUF model of llama.cpp",
	KindHDF5:        "it is an HDF5 file, as older Keras versions write",
	KindPickle:      "it is a Python pickle",
	KindGzip:        "it is compressed with gzip; unpack it first",
	KindBzip2:       "it is compressed with bzip2; unpack it first",
	KindXZ:          "it is compressed with xz; unpack it first",
	KindZstd:        "it is compressed with zstd; unpack it first",
	Kind7z:          "it is a 7z archive; unpack it first",
	KindTar:         "it is a tar archive; unpack it first",
	KindHTML:        "it is an HTML page, perhaps what a server sent instead of the file",
	KindXML:         "it is an XML file",
	KindJSON:        "it is a JSON file",
	KindONNXText:    "it is a model in ONNX's textual format; onnx.parser turns it into a binary file",
	KindProtoText:   "it is a model in protobuf's text format; google.protobuf.text_format turns it into a binary file",
	KindText:        "it is a text file",
	KindProgram:     "it is an executable program",
	KindPDF:         "it is a PDF document",
	KindImage:       "it is an image",
	KindTensorProto: "it is a single ONNX tensor, such as test data has, not a model",
}

// FileKinds lists every kind, sorted.
func FileKinds() []FileKind { return slices.Sorted(maps.Keys(kindTexts)) }

// describe says what a file of kind k is.
func (k FileKind) describe() string { return kindTexts[k] }

// sniffLength is how many bytes of a file are looked at to tell what it is.
const sniffLength = 1024

// magics are the bytes with which well-known formats begin.
var magics = []struct {
	offset int
	magic  string
	kind   FileKind
}{
	{0, "version https://git-lfs.github.com/spec/", KindGitLFS},
	{4, "ORTM", KindORT},    // onnxruntime/core/flatbuffers/schema/ort.fbs, file_identifier
	{4, "TFL3", KindTFLite}, // tensorflow/compiler/mlir/lite/schema/schema.fbs, file_identifier
	{0, "GGUF", KindGGUF},
	{0, "\x89HDF\r\n\x1a\n", KindHDF5},
	{0, "\x93NUMPY", KindNumPy},
	{0, "\x1f\x8b", KindGzip},
	{0, "BZh", KindBzip2},
	{0, "\xfd7zXZ\x00", KindXZ},
	{0, "\x28\xb5\x2f\xfd", KindZstd},
	{0, "7z\xbc\xaf\x27\x1c", Kind7z},
	{257, "ustar", KindTar},
	// torch/serialization.py, MAGIC_NUMBER, pickled with protocol 2: the format before PyTorch 1.6.
	{0, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", KindTorch},
	{0, "\x7fELF", KindProgram},
	{0, "MZ\x90\x00", KindProgram},
	{0, "%PDF-", KindPDF},
	{0, "\x89PNG\r\n\x1a\n", KindImage},
	{0, "\xff\xd8\xff", KindImage},
}

// sniff names the format of a file of size bytes that begins with head; "" when
// it is none that is known.
func sniff(head []byte, size int64) FileKind {
	for _, m := range magics {
		if len(head) >= m.offset && bytes.HasPrefix(head[m.offset:], []byte(m.magic)) {
			return m.kind
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return zipKind(head)
	case isSafetensors(head, size):
		return KindSafetensors
	case len(head) > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 && strings.IndexByte("}]()clX\x8a\x95", head[2]) >= 0:
		return KindPickle
	}
	return textKind(head)
}

// zipKind tells the archives that PyTorch and NumPy write from others by the
// name of the first file in them.
func zipKind(head []byte) FileKind {
	const nameLength, name = 26, 30 // offsets in a zip file's local header
	if len(head) < name {
		return KindZip
	}
	n := int(binary.LittleEndian.Uint16(head[nameLength:]))
	first := string(head[name:min(name+n, len(head))])
	switch {
	case strings.HasSuffix(first, "/data.pkl") || strings.HasSuffix(first, "/.format_version") || strings.HasSuffix(first, "/version"):
		return KindTorch
	case strings.HasSuffix(first, ".npy"):
		return KindNumPy
	}
	return KindZip
}

// isSafetensors looks for a length of eight bytes and a JSON object of that
// length (https://huggingface.co/docs/safetensors).
func isSafetensors(head []byte, size int64) bool {
	if len(head) < 9 || head[8] != '{' {
		return false
	}
	n := binary.LittleEndian.Uint64(head)
	return n >= 2 && n <= uint64(size-8)
}

// textKind names a text file; "" when head is no text.
func textKind(head []byte) FileKind {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' {
			return ""
		}
	}
	s := strings.ToLower(strings.TrimSpace(string(head)))
	switch {
	case strings.HasPrefix(s, "<!doctype html"), strings.HasPrefix(s, "<html"):
		return KindHTML
	case strings.HasPrefix(s, "<?xml"):
		return KindXML
	case strings.HasPrefix(s, "<") && strings.Contains(s, "ir_version"):
		return KindONNXText
	case strings.HasPrefix(s, "<"):
		return KindXML
	case strings.HasPrefix(s, "{"), strings.HasPrefix(s, "["):
		return KindJSON
	case strings.HasPrefix(s, "ir_version:"), strings.Contains(s, "graph {"), strings.Contains(s, "opset_import {"):
		return KindProtoText
	}
	return KindText
}
