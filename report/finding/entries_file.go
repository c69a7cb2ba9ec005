package finding

// fileEntries are the codes of onnxgraph.FormatError: the bytes are not those
// of protobuf messages.
// https://protobuf.dev/programming-guides/encoding/
var fileEntries = []Entry{
	{"truncated", File, Error, "The file ends early",
		"The file ends inside a field. The message names the byte offset and the field.",
		"A download that was interrupted.", "Download or export the file again and compare its size."},
	{"varint-overflow", File, Error, "A number is too long",
		"A varint has more than 64 bits, which no protobuf writer produces.",
		"A file that was changed by hand, or is not an ONNX model.", "Check that the file is an ONNX model; export it again."},
	{"field-number", File, Error, "A field number is out of range",
		"Protobuf field numbers are 1 to 2^29-1.",
		"A text file given in place of a model.", "Check that the file is an ONNX model."},
	{"wire-type", File, Error, "A wire type does not exist",
		"A field has wire type 6 or 7, which protobuf does not define.",
		"A compressed model (.onnx.gz) given as it is.", "Decompress the file; check that it is an ONNX model."},
	{"group", File, Error, "Groups are unbalanced",
		"A protobuf group ends that did not begin, or under another number.",
		"A damaged file.", "Export the model again."},
	{"length", File, Error, "A value is longer than its message",
		"A length field goes past the end of the message that holds it.",
		"A file that a text editor or a transfer in text mode changed.", "Copy the file again in binary mode."},
	{"nesting", File, Error, "Messages are nested too deep",
		"Messages are nested more than 100 deep, the limit of protobuf's own C++ reader: ONNX Runtime refuses such a file too.",
		"60 If nodes, each in a branch of the one before.", "Move inner subgraphs into local functions."},
	{"read", File, Error, "The file cannot be read",
		"The operating system or the network reported an error while the file was read.",
		"A disk error, or a connection that closed.", "Read the error of the system at the end of the message."},
	{"string-length", File, Error, "A string is too long",
		"A string has 2 GiB or more, more than protobuf can carry.",
		"A tensor of strings with one huge element.", "Split the string, or store the data outside of the model."},
}

// dataEntries are the codes of onnxgraph.DataError: the values of a stored
// tensor cannot be read. Inference reports those that make the file itself
// invalid.
// https://onnx.ai/onnx/repo-docs/ExternalData.html
var dataEntries = []Entry{
	{"data-size", Data, Error, "Stored bytes do not match the dims",
		"The bytes that the file stores for a tensor are not its dims times its element type.",
		"dims [4,4] of FLOAT need 64 bytes; raw_data has 60.", "Export the model again."},
	{"data-type", Data, Error, "The element type has no values",
		"The tensor's data type is undefined, or not the one that the reader asked for.",
		"data_type 99.", "Export the model with a current exporter."},
	{"data-field", Data, Error, "Values are in the wrong field",
		"The values are in a field that ONNX defines for other element types.",
		"FLOAT values in int64_data.", "Write the values to raw_data, or to the field that ONNX names for the type."},
	{"data-range", Data, Error, "External data is out of range",
		"The offset or length of external data is not a number, is negative, or goes past the end of the data file.",
		"offset 4096 in a data file of 1,000 bytes.", "Copy the data file again: it is shorter than the model expects."},
	{"data-location", Data, Error, "The location of external data is refused",
		"The location leaves the folder of the model (an absolute path or ..), which could read any file of the machine.",
		"location ../../etc/passwd.", "Move the data file next to the model and store its plain name."},
	{"data-missing", Data, Error, "The external data file is missing",
		"The file that holds the tensor's values cannot be opened.",
		"model.onnx without its model.onnx.data.", "Put the data file next to the model."},
	{"data-none", Data, Error, "A tensor has no values",
		"The dims ask for elements, and no field of the tensor holds any.",
		"dims [2] without raw_data.", "Export the model again."},
	{"data-limit", Data, Error, "A tensor is larger than was asked for",
		"The caller of the library set a limit, and the tensor has more elements or bytes.",
		"Reading a weight of 1 GB with a limit of 1 MB.", "Raise the limit, or read the tensor in pieces."},
	{"data-damaged", Data, Error, "The values cannot be decoded",
		"The field of the values is not valid protobuf, or reading it failed.",
		"A packed field that holds half a number.", "Export the model again."},
	{"data-overflow", Data, Error, "A value does not fit",
		"A value is larger than the Go type that the caller asked for.",
		"A UINT64 of 2^63 read as int64.", "Ask for another type."},
	{"data-segment", Data, Error, "The tensor is one segment of a larger one",
		"The tensor uses the field segment, which no runtime reads.",
		"segment {begin: 0, end: 10}.", "Store the tensor as a whole."},
}
