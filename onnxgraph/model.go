package onnxgraph

// A Model is one ONNX file (ModelProto): the main graph, local functions, and
// what the file says about itself. It never holds weights.
type Model struct {
	IRVersion       int64
	OpsetImports    []OpsetImport
	ProducerName    string
	ProducerVersion string
	Domain          string
	ModelVersion    int64
	DocString       string
	Graph           *Graph // never nil after Read
	Metadata        []StringEntry
	TrainingInfo    []TrainingInfo
	Functions       []*Function
	Configurations  []DeviceConfiguration

	// Size is the length of the file in bytes.
	Size int64
	// Path names what the model was read from, in reports: [Open] sets it to the
	// path of the file. Callers of [Read] may set it.
	Path string
	// Unknown lists the fields that no ONNX version up to IR 14 defines, in
	// file order, anywhere in the file.
	Unknown []UnknownField
	// Oddities lists encodings that two readers may understand differently, in
	// file order: repeated singular fields, several value fields in a tensor.
	Oddities []Oddity
	// UnknownOmitted and OdditiesOmitted count those left out of the two lists
	// above, which are bounded; zero in every file that an exporter wrote.
	UnknownOmitted, OdditiesOmitted int64
}

// Opset returns the version under which domain is imported. The empty name and
// "ai.onnx" are the same domain. ok is false when it is not imported.
func (m *Model) Opset(domain string) (version int64, ok bool) {
	return OpsetVersion(m.OpsetImports, domain)
}

// OpsetVersion is the version under which imports brings domain in; the last
// import of a domain counts, as in ONNX Runtime.
func OpsetVersion(imports []OpsetImport, domain string) (version int64, ok bool) {
	domain = CanonicalDomain(domain)
	for _, imp := range imports {
		if CanonicalDomain(imp.Domain) == domain {
			version, ok = imp.Version, true
		}
	}
	return version, ok
}

// CanonicalDomain maps "ai.onnx" to the empty name that the format uses for
// the default operator domain.
func CanonicalDomain(domain string) string {
	if domain == "ai.onnx" {
		return ""
	}
	return domain
}

// An OpsetImport names an operator domain and the version in use
// (OperatorSetIdProto).
type OpsetImport struct {
	Domain  string
	Version int64
}

// A StringEntry is one key and value of a metadata list
// (StringStringEntryProto).
type StringEntry struct {
	Key, Value string
}

// An Extent is a range of bytes in the model file.
type Extent struct {
	Offset, Length int64
}

// An UnknownField is a protobuf field that the format does not define.
type UnknownField struct {
	Path   string // the enclosing message, such as "graph.node[3]"
	Number int32  // field number
	Extent Extent // of the field's value, without its tag
}

// An Oddity is an encoding that is legal protobuf, or nearly so, but that two
// readers may understand differently.
type Oddity struct {
	Code   OddityCode
	Path   string // the enclosing message, such as "graph"
	Field  string // the field's name in onnx.proto
	Offset int64  // of the repeated or conflicting field
}

// An OddityCode says what is odd. Codes are append-only.
type OddityCode string

// The oddities that the reader records.
const (
	// RepeatedSingular: a field that may occur once occurs again. Scalars: the
	// last one wins. Messages: they merge, as every protobuf reader does.
	RepeatedSingular OddityCode = "repeated-singular"
	// SeveralValues: a tensor or attribute holds more than one value field.
	SeveralValues OddityCode = "several-values"
)

// TrainingInfo holds the training part of a model (TrainingInfoProto).
type TrainingInfo struct {
	Initialization         *Graph // may be nil
	Algorithm              *Graph // may be nil
	InitializationBindings []StringEntry
	UpdateBindings         []StringEntry
}

// A DeviceConfiguration names a set of devices for multi-device execution
// (DeviceConfigurationProto, IR 11).
type DeviceConfiguration struct {
	Name       string
	NumDevices int32
	Devices    []string
}
