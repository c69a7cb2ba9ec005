package onnxgraph

// A Graph is a list of nodes with their inputs, outputs and stored tensors
// (GraphProto): the main graph, or the body of an If, Loop, Scan ...
type Graph struct {
	Name                string
	DocString           string
	Nodes               []*Node
	Initializers        []*Tensor
	SparseInitializers  []*SparseTensor
	Inputs              []*ValueInfo
	Outputs             []*ValueInfo
	ValueInfos          []*ValueInfo
	QuantizationEntries []QuantizationAnnotation
	Metadata            []StringEntry
	// Extents are the places of the GraphProto in the file. There is more than
	// one only when the file repeats the field and the parts merge.
	Extents []Extent
}

// A Node is one application of an operator (NodeProto). An empty name among
// Inputs is an optional input left out; among Outputs, one that is not wanted.
type Node struct {
	Name                 string
	OpType               string
	Domain               string // as written; see [CanonicalDomain]
	Overload             string
	Inputs               []string
	Outputs              []string
	Attributes           []*Attribute
	DocString            string
	Metadata             []StringEntry
	DeviceConfigurations []NodeDeviceConfiguration
	Extent               Extent
}

// Attribute returns the attribute of that name, or nil. The first one counts
// when a file repeats a name.
func (n *Node) Attribute(name string) *Attribute {
	for _, a := range n.Attributes {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// A Function is an operator defined by a body of nodes in the model itself
// (FunctionProto, IR 8).
type Function struct {
	Name              string
	Domain            string
	Overload          string
	Inputs            []string
	Outputs           []string
	AttributeNames    []string     // attributes without a default
	AttributeDefaults []*Attribute // attributes with one
	Nodes             []*Node
	OpsetImports      []OpsetImport
	ValueInfos        []*ValueInfo
	DocString         string
	Metadata          []StringEntry
	Extent            Extent
}

// A ValueInfo declares the type of a named value (ValueInfoProto).
type ValueInfo struct {
	Name      string
	Type      *Type // nil when the file gives none
	DocString string
	Metadata  []StringEntry
	Extent    Extent
}

// A QuantizationAnnotation ties a tensor to the names of its scale and zero
// point (TensorAnnotation).
type QuantizationAnnotation struct {
	TensorName string
	Parameters []StringEntry
}

// A NodeDeviceConfiguration says where a node runs (IR 11).
type NodeDeviceConfiguration struct {
	ConfigurationID  string
	ShardingSpecs    []ShardingSpec
	PipelineStage    int32
	HasPipelineStage bool
}

// A ShardingSpec says how a tensor is split over devices.
type ShardingSpec struct {
	TensorName   string
	Devices      []int64
	DeviceGroups []DeviceGroup
	ShardedDims  []ShardedDim
}

// A DeviceGroup maps an index of ShardingSpec.Devices to several devices.
type DeviceGroup struct {
	Key    int64
	Values []int64
}

// A ShardedDim is one axis along which a tensor is split.
type ShardedDim struct {
	Axis   int64
	Shards []SimpleShardedDim
}

// A SimpleShardedDim is one part of an axis and the number of its shards.
type SimpleShardedDim struct {
	Dim       Dim
	NumShards int64
}
