package onnxgraph_test

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/internal/onnxpb"
)

// This file turns a Model back into the generated messages, so that two readers
// of the same bytes can be compared. Payloads come from the file, by their
// extents.

type toProto struct{ file []byte }

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func nonzero(v int64) *int64 {
	if v == 0 {
		return nil
	}
	return &v
}

func nonzero32(v int32) *int32 {
	if v == 0 {
		return nil
	}
	return &v
}

func mapAll[A, B any](list []A, f func(A) B) []B {
	var out []B
	for _, a := range list {
		out = append(out, f(a))
	}
	return out
}

func entry(e onnxgraph.StringEntry) *onnxpb.StringStringEntryProto {
	return &onnxpb.StringStringEntryProto{Key: optional(e.Key), Value: optional(e.Value)}
}

func opset(i onnxgraph.OpsetImport) *onnxpb.OperatorSetIdProto {
	return &onnxpb.OperatorSetIdProto{Domain: optional(i.Domain), Version: nonzero(i.Version)}
}

func (c toProto) model(m *onnxgraph.Model) *onnxpb.ModelProto {
	return &onnxpb.ModelProto{
		IrVersion: nonzero(m.IRVersion), OpsetImport: mapAll(m.OpsetImports, opset),
		ProducerName: optional(m.ProducerName), ProducerVersion: optional(m.ProducerVersion),
		Domain: optional(m.Domain), ModelVersion: nonzero(m.ModelVersion), DocString: optional(m.DocString),
		Graph: c.graph(m.Graph), MetadataProps: mapAll(m.Metadata, entry),
		TrainingInfo: mapAll(m.TrainingInfo, c.training), Functions: mapAll(m.Functions, c.function),
		Configuration: mapAll(m.Configurations, func(d onnxgraph.DeviceConfiguration) *onnxpb.DeviceConfigurationProto {
			return &onnxpb.DeviceConfigurationProto{Name: optional(d.Name), NumDevices: nonzero32(d.NumDevices), Device: d.Devices}
		}),
	}
}

func (c toProto) training(t onnxgraph.TrainingInfo) *onnxpb.TrainingInfoProto {
	return &onnxpb.TrainingInfoProto{
		Initialization: c.graph(t.Initialization), Algorithm: c.graph(t.Algorithm),
		InitializationBinding: mapAll(t.InitializationBindings, entry), UpdateBinding: mapAll(t.UpdateBindings, entry),
	}
}

func (c toProto) function(f *onnxgraph.Function) *onnxpb.FunctionProto {
	return &onnxpb.FunctionProto{
		Name: optional(f.Name), Domain: optional(f.Domain), Overload: optional(f.Overload), DocString: optional(f.DocString),
		Input: f.Inputs, Output: f.Outputs, Attribute: f.AttributeNames,
		AttributeProto: mapAll(f.AttributeDefaults, c.attribute), Node: mapAll(f.Nodes, c.node),
		OpsetImport: mapAll(f.OpsetImports, opset), ValueInfo: mapAll(f.ValueInfos, c.valueInfo),
		MetadataProps: mapAll(f.Metadata, entry),
	}
}

func (c toProto) graph(g *onnxgraph.Graph) *onnxpb.GraphProto {
	if g == nil {
		return nil
	}
	return &onnxpb.GraphProto{
		Name: optional(g.Name), DocString: optional(g.DocString), Node: mapAll(g.Nodes, c.node),
		Initializer: mapAll(g.Initializers, c.tensor), SparseInitializer: mapAll(g.SparseInitializers, c.sparse),
		Input: mapAll(g.Inputs, c.valueInfo), Output: mapAll(g.Outputs, c.valueInfo), ValueInfo: mapAll(g.ValueInfos, c.valueInfo),
		QuantizationAnnotation: mapAll(g.QuantizationEntries, func(q onnxgraph.QuantizationAnnotation) *onnxpb.TensorAnnotation {
			return &onnxpb.TensorAnnotation{TensorName: optional(q.TensorName), QuantParameterTensorNames: mapAll(q.Parameters, entry)}
		}),
		MetadataProps: mapAll(g.Metadata, entry),
	}
}

func (c toProto) node(n *onnxgraph.Node) *onnxpb.NodeProto {
	return &onnxpb.NodeProto{
		Input: n.Inputs, Output: n.Outputs, Name: optional(n.Name), OpType: optional(n.OpType), Domain: optional(n.Domain),
		Overload: optional(n.Overload), Attribute: mapAll(n.Attributes, c.attribute), DocString: optional(n.DocString),
		MetadataProps: mapAll(n.Metadata, entry), DeviceConfigurations: mapAll(n.DeviceConfigurations, deviceConfiguration),
	}
}

func deviceConfiguration(d onnxgraph.NodeDeviceConfiguration) *onnxpb.NodeDeviceConfigurationProto {
	p := &onnxpb.NodeDeviceConfigurationProto{ConfigurationId: optional(d.ConfigurationID), ShardingSpec: mapAll(d.ShardingSpecs, shardingSpec)}
	if d.HasPipelineStage {
		p.PipelineStage = &d.PipelineStage
	}
	return p
}

func shardingSpec(s onnxgraph.ShardingSpec) *onnxpb.ShardingSpecProto {
	return &onnxpb.ShardingSpecProto{
		TensorName: optional(s.TensorName), Device: s.Devices,
		IndexToDeviceGroupMap: mapAll(s.DeviceGroups, func(g onnxgraph.DeviceGroup) *onnxpb.IntIntListEntryProto {
			return &onnxpb.IntIntListEntryProto{Key: nonzero(g.Key), Value: g.Values}
		}),
		ShardedDim: mapAll(s.ShardedDims, func(d onnxgraph.ShardedDim) *onnxpb.ShardedDimProto {
			return &onnxpb.ShardedDimProto{Axis: nonzero(d.Axis), SimpleSharding: mapAll(d.Shards, shard)}
		}),
	}
}

func shard(s onnxgraph.SimpleShardedDim) *onnxpb.SimpleShardedDimProto {
	p := &onnxpb.SimpleShardedDimProto{NumShards: nonzero(s.NumShards)}
	if s.Dim.HasValue {
		p.Dim = &onnxpb.SimpleShardedDimProto_DimValue{DimValue: s.Dim.Value}
	} else if s.Dim.Param != "" {
		p.Dim = &onnxpb.SimpleShardedDimProto_DimParam{DimParam: s.Dim.Param}
	}
	return p
}

func (c toProto) valueInfo(v *onnxgraph.ValueInfo) *onnxpb.ValueInfoProto {
	return &onnxpb.ValueInfoProto{Name: optional(v.Name), Type: typ(v.Type), DocString: optional(v.DocString), MetadataProps: mapAll(v.Metadata, entry)}
}

func (c toProto) attribute(a *onnxgraph.Attribute) *onnxpb.AttributeProto {
	p := &onnxpb.AttributeProto{
		Name: optional(a.Name), RefAttrName: optional(a.RefAttrName), DocString: optional(a.DocString),
		T: c.tensorOrNil(a.Tensor), G: c.graph(a.Graph), Tp: typ(a.TypeProto),
		Floats: a.Floats, Ints: a.Ints, Strings: mapAll(a.Strings, func(s string) []byte { return []byte(s) }),
		Tensors: mapAll(a.Tensors, c.tensor), Graphs: mapAll(a.Graphs, c.graph),
		SparseTensors: mapAll(a.SparseTensors, c.sparse), TypeProtos: mapAll(a.TypeProtos, typ),
	}
	if a.SparseTensor != nil {
		p.SparseTensor = c.sparse(a.SparseTensor)
	}
	if a.DeclaredType != 0 {
		p.Type = onnxpb.AttributeProto_AttributeType(a.DeclaredType).Enum()
	}
	if a.Has(onnxgraph.AttributeFloat) {
		p.F = &a.Float
	}
	if a.Has(onnxgraph.AttributeInt) {
		p.I = &a.Int
	}
	if a.Has(onnxgraph.AttributeString) {
		p.S = []byte(a.String)
	}
	return p
}

func (c toProto) tensorOrNil(t *onnxgraph.Tensor) *onnxpb.TensorProto {
	if t == nil {
		return nil
	}
	return c.tensor(t)
}

func (c toProto) sparse(s *onnxgraph.SparseTensor) *onnxpb.SparseTensorProto {
	return &onnxpb.SparseTensorProto{Values: c.tensorOrNil(s.Values), Indices: c.tensorOrNil(s.Indices), Dims: s.Dims}
}

func (c toProto) tensor(t *onnxgraph.Tensor) *onnxpb.TensorProto {
	p := &onnxpb.TensorProto{
		Dims: t.Dims, DataType: nonzero32(int32(t.DType)), Name: optional(t.Name), DocString: optional(t.DocString),
		ExternalData: mapAll(t.ExternalData, entry), MetadataProps: mapAll(t.Metadata, entry),
	}
	if t.Segment != nil {
		p.Segment = &onnxpb.TensorProto_Segment{Begin: nonzero(t.Segment.Begin), End: nonzero(t.Segment.End)}
	}
	if t.External {
		p.DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
	}
	// The payloads as one message: each as the field that it is in the file.
	var fields []byte
	numbers := map[onnxgraph.PayloadField]protowire.Number{
		onnxgraph.FloatData: 4, onnxgraph.Int32Data: 5, onnxgraph.StringData: 6, onnxgraph.Int64Data: 7,
		onnxgraph.RawData: 9, onnxgraph.DoubleData: 10, onnxgraph.Uint64Data: 11,
	}
	for _, load := range t.Payloads {
		b := c.file[load.Extent.Offset:][:load.Extent.Length]
		fields = protowire.AppendTag(fields, numbers[load.Field], protowire.BytesType)
		fields = protowire.AppendBytes(fields, b) // a single element is a run of one
	}
	if err := (proto.UnmarshalOptions{Merge: true}).Unmarshal(fields, p); err != nil {
		panic(err)
	}
	return p
}

func typ(t *onnxgraph.Type) *onnxpb.TypeProto {
	if t == nil {
		return nil
	}
	p := &onnxpb.TypeProto{Denotation: optional(t.Denotation)}
	elem := nonzero32(int32(t.DType))
	switch t.Kind {
	case onnxgraph.KindTensor:
		p.Value = &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{ElemType: elem, Shape: shape(t.Shape)}}
	case onnxgraph.KindSparseTensor:
		p.Value = &onnxpb.TypeProto_SparseTensorType{SparseTensorType: &onnxpb.TypeProto_SparseTensor{ElemType: elem, Shape: shape(t.Shape)}}
	case onnxgraph.KindSequence:
		p.Value = &onnxpb.TypeProto_SequenceType{SequenceType: &onnxpb.TypeProto_Sequence{ElemType: typ(t.Elem)}}
	case onnxgraph.KindOptional:
		p.Value = &onnxpb.TypeProto_OptionalType{OptionalType: &onnxpb.TypeProto_Optional{ElemType: typ(t.Elem)}}
	case onnxgraph.KindMap:
		p.Value = &onnxpb.TypeProto_MapType{MapType: &onnxpb.TypeProto_Map{KeyType: nonzero32(int32(t.Key)), ValueType: typ(t.Elem)}}
	case onnxgraph.KindOpaque:
		p.Value = &onnxpb.TypeProto_OpaqueType{OpaqueType: &onnxpb.TypeProto_Opaque{Domain: optional(t.OpaqueDomain), Name: optional(t.OpaqueName)}}
	}
	return p
}

func shape(s *onnxgraph.Shape) *onnxpb.TensorShapeProto {
	if s == nil {
		return nil
	}
	return &onnxpb.TensorShapeProto{Dim: mapAll(s.Dims, func(d onnxgraph.Dim) *onnxpb.TensorShapeProto_Dimension {
		p := &onnxpb.TensorShapeProto_Dimension{Denotation: optional(d.Denotation)}
		if d.HasValue {
			p.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: d.Value}
		} else if d.Param != "" {
			p.Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: d.Param}
		}
		return p
	})}
}
