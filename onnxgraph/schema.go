package onnxgraph

import "onnxmem/onnxgraph/internal/wire"

// The message types of onnx-ml.proto (IR version 14), as indices of onnxSchema.
const (
	attributeProto wire.MessageID = iota
	valueInfoProto
	nodeProto
	intIntListEntryProto
	nodeDeviceConfigurationProto
	shardingSpecProto
	shardedDimProto
	simpleShardedDimProto
	trainingInfoProto
	modelProto
	deviceConfigurationProto
	stringStringEntryProto
	tensorAnnotationProto
	graphProto
	tensorProto
	segmentProto
	sparseTensorProto
	tensorShapeProto
	dimensionProto
	typeProto
	tensorTypeProto
	sequenceTypeProto
	mapTypeProto
	optionalTypeProto
	opaqueTypeProto
	operatorSetIDProto
	functionProto
)

// Short forms of a field's description.

func number(name string) wire.Field { return wire.Field{Name: name, Kind: wire.Varint} }
func text(name string) wire.Field   { return wire.Field{Name: name, Kind: wire.Bytes} }
func numbers(name string) wire.Field {
	return wire.Field{Name: name, Kind: wire.Varint, Repeated: true}
}
func texts(name string) wire.Field   { return wire.Field{Name: name, Kind: wire.Bytes, Repeated: true} }
func fixed32(name string) wire.Field { return wire.Field{Name: name, Kind: wire.Fixed32} }
func float32s(name string) wire.Field {
	return wire.Field{Name: name, Kind: wire.Fixed32, Repeated: true}
}
func float64s(name string) wire.Field {
	return wire.Field{Name: name, Kind: wire.Fixed64, Repeated: true}
}
func one(name string, m wire.MessageID) wire.Field {
	return wire.Field{Name: name, Kind: wire.Embedded, Message: m}
}
func many(name string, m wire.MessageID) wire.Field {
	return wire.Field{Name: name, Kind: wire.Embedded, Message: m, Repeated: true}
}

// onnxSchema is onnx-ml.proto as data: every message and field up to IR 14
// (https://github.com/onnx/onnx/blob/main/onnx/onnx-ml.proto).
var onnxSchema = wire.Schema{
	attributeProto: {
		1: text("name"), 2: fixed32("f"), 3: number("i"), 4: text("s"),
		5: one("t", tensorProto), 6: one("g", graphProto),
		7: float32s("floats"), 8: numbers("ints"), 9: texts("strings"),
		10: many("tensors", tensorProto), 11: many("graphs", graphProto),
		13: text("doc_string"), 14: one("tp", typeProto), 15: many("type_protos", typeProto),
		20: number("type"), 21: text("ref_attr_name"),
		22: one("sparse_tensor", sparseTensorProto), 23: many("sparse_tensors", sparseTensorProto),
	},
	valueInfoProto: {
		1: text("name"), 2: one("type", typeProto), 3: text("doc_string"),
		4: many("metadata_props", stringStringEntryProto),
	},
	nodeProto: {
		1: texts("input"), 2: texts("output"), 3: text("name"), 4: text("op_type"),
		5: many("attribute", attributeProto), 6: text("doc_string"), 7: text("domain"), 8: text("overload"),
		9:  many("metadata_props", stringStringEntryProto),
		10: many("device_configurations", nodeDeviceConfigurationProto),
	},
	intIntListEntryProto: {1: number("key"), 2: numbers("value")},
	nodeDeviceConfigurationProto: {
		1: text("configuration_id"), 2: many("sharding_spec", shardingSpecProto), 3: number("pipeline_stage"),
	},
	shardingSpecProto: {
		1: text("tensor_name"), 2: numbers("device"),
		3: many("index_to_device_group_map", intIntListEntryProto), 4: many("sharded_dim", shardedDimProto),
	},
	shardedDimProto:       {1: number("axis"), 2: many("simple_sharding", simpleShardedDimProto)},
	simpleShardedDimProto: {1: number("dim_value"), 2: text("dim_param"), 3: number("num_shards")},
	trainingInfoProto: {
		1: one("initialization", graphProto), 2: one("algorithm", graphProto),
		3: many("initialization_binding", stringStringEntryProto), 4: many("update_binding", stringStringEntryProto),
	},
	modelProto: {
		1: number("ir_version"), 2: text("producer_name"), 3: text("producer_version"), 4: text("domain"),
		5: number("model_version"), 6: text("doc_string"), 7: one("graph", graphProto),
		8: many("opset_import", operatorSetIDProto), 14: many("metadata_props", stringStringEntryProto),
		20: many("training_info", trainingInfoProto), 25: many("functions", functionProto),
		26: many("configuration", deviceConfigurationProto),
	},
	deviceConfigurationProto: {1: text("name"), 2: number("num_devices"), 3: texts("device")},
	stringStringEntryProto:   {1: text("key"), 2: text("value")},
	tensorAnnotationProto: {
		1: text("tensor_name"), 2: many("quant_parameter_tensor_names", stringStringEntryProto),
	},
	graphProto: {
		1: many("node", nodeProto), 2: text("name"), 5: many("initializer", tensorProto), 10: text("doc_string"),
		11: many("input", valueInfoProto), 12: many("output", valueInfoProto), 13: many("value_info", valueInfoProto),
		14: many("quantization_annotation", tensorAnnotationProto),
		15: many("sparse_initializer", sparseTensorProto), 16: many("metadata_props", stringStringEntryProto),
	},
	tensorProto: {
		1: numbers("dims"), 2: number("data_type"), 3: one("segment", segmentProto),
		4: float32s("float_data"), 5: numbers("int32_data"), 6: texts("string_data"), 7: numbers("int64_data"),
		8: text("name"), 9: text("raw_data"), 10: float64s("double_data"), 11: numbers("uint64_data"),
		12: text("doc_string"), 13: many("external_data", stringStringEntryProto), 14: number("data_location"),
		16: many("metadata_props", stringStringEntryProto),
	},
	segmentProto: {1: number("begin"), 2: number("end")},
	sparseTensorProto: {
		1: one("values", tensorProto), 2: one("indices", tensorProto), 3: numbers("dims"),
	},
	tensorShapeProto: {1: many("dim", dimensionProto)},
	dimensionProto:   {1: number("dim_value"), 2: text("dim_param"), 3: text("denotation")},
	typeProto: {
		1: one("tensor_type", tensorTypeProto), 4: one("sequence_type", sequenceTypeProto),
		5: one("map_type", mapTypeProto), 6: text("denotation"), 7: one("opaque_type", opaqueTypeProto),
		8: one("sparse_tensor_type", tensorTypeProto), 9: one("optional_type", optionalTypeProto),
	},
	tensorTypeProto:    {1: number("elem_type"), 2: one("shape", tensorShapeProto)},
	sequenceTypeProto:  {1: one("elem_type", typeProto)},
	mapTypeProto:       {1: number("key_type"), 2: one("value_type", typeProto)},
	optionalTypeProto:  {1: one("elem_type", typeProto)},
	opaqueTypeProto:    {1: text("domain"), 2: text("name")},
	operatorSetIDProto: {1: text("domain"), 2: number("version")},
	functionProto: {
		1: text("name"), 4: texts("input"), 5: texts("output"), 6: texts("attribute"), 7: many("node", nodeProto),
		8: text("doc_string"), 9: many("opset_import", operatorSetIDProto), 10: text("domain"),
		11: many("attribute_proto", attributeProto), 12: many("value_info", valueInfoProto), 13: text("overload"),
		14: many("metadata_props", stringStringEntryProto),
	},
}
