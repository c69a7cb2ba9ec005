"""Records what ONNX's own helpers read from tensors of every data type, stored in
every way: one JSON object a line, with the TensorProto as hex and its values,
integers in decimal and floats as the bits of a float64 in hex.

    pip install onnx==1.23.2 ml_dtypes==0.6.0
    python record_tensors.py > tensors.jsonl
"""
import json
import math
import struct

import numpy as np
from onnx import TensorProto, helper, numpy_helper

T = TensorProto
CODES = {T.FLOAT8E4M3FN: 8, T.FLOAT8E4M3FNUZ: 8, T.FLOAT8E5M2: 8, T.FLOAT8E5M2FNUZ: 8, T.FLOAT8E8M0: 8,
         T.FLOAT6E2M3: 6, T.FLOAT6E3M2: 6, T.FLOAT4E2M1: 4, T.INT8: 8, T.UINT8: 8, T.INT4: 4, T.UINT4: 4, T.INT2: 2, T.UINT2: 2}
WIDE = {T.FLOAT: "f4", T.DOUBLE: "f8", T.INT16: "i2", T.UINT16: "u2", T.INT32: "i4", T.UINT32: "u4", T.INT64: "i8", T.UINT64: "u8"}
FIELD = {T.FLOAT: "float_data", T.DOUBLE: "double_data", T.INT64: "int64_data", T.UINT32: "uint64_data", T.UINT64: "uint64_data"}


def codes(dtype):
    """Raw codes, one per element: all of a small type, the edges of a wide one."""
    if dtype in CODES:
        bits = CODES[dtype]
        # An odd number of elements, so that the last byte of packed types is padded.
        return list(range(1 << bits)) + [1]
    if dtype == T.BOOL:
        return [0, 1, 1, 0, 1]
    if dtype in (T.FLOAT16, T.BFLOAT16):
        return list(range(0, 1 << 16, 251)) + [0x7c00, 0xfc00, 0x7e00, 0x8000, 1, 0x03ff, 0x0400, 0x7f80, 0xff80, 0x7fc0]
    bits = np.dtype(WIDE[dtype]).itemsize * 8
    edges = {0, 1, 2, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 0x0123456789abcdef & ((1 << bits) - 1)}
    if dtype == T.FLOAT:
        edges |= {0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x40490fdb}
    if dtype == T.DOUBLE:
        edges |= {0x3ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x400921fb54442d18}
    return sorted(edges)


def raw(dtype, values):
    """The codes in the format of raw_data, built bit by bit from onnx.proto's text."""
    bits = CODES.get(dtype) or {T.BOOL: 8, T.FLOAT16: 16, T.BFLOAT16: 16}.get(dtype) or np.dtype(WIDE[dtype]).itemsize * 8
    stream = sum(v << (i * bits) for i, v in enumerate(values))
    return stream.to_bytes((bits * len(values) + 7) // 8, "little")


def typed(dtype, values):
    """The codes in the typed field; see int32_data in onnx.proto."""
    t = TensorProto(data_type=dtype, dims=[len(values)])
    field = FIELD.get(dtype, "int32_data")
    if dtype in WIDE:
        values = np.array(values, dtype="u8").astype(WIDE[dtype].replace("f", "u").replace("i", "u")).view(WIDE[dtype]).tolist()
    elif dtype == T.INT8:
        values = np.array(values, dtype="u1").view("i1").tolist()
    elif CODES.get(dtype) in (2, 4):
        values = list(raw(dtype, values))
    getattr(t, field).extend(values)
    return t


def text(v):
    v = float(v) if np.asarray(v).dtype.kind not in "iub" else int(v)
    if isinstance(v, int):
        return str(v)
    return "nan" if math.isnan(v) else struct.pack(">d", v).hex()


def record(dtype, storage, tensor):
    values = numpy_helper.to_array(tensor)
    if values.dtype.name in ("int4", "uint4", "int2", "uint2"):
        values = values.astype("i4")
    print(json.dumps({"dtype": T.DataType.Name(dtype), "storage": storage, "tensor": tensor.SerializeToString().hex(),
                      "values": [text(v) for v in values.reshape(-1)]}))


for dtype in [*CODES, *WIDE, T.BOOL, T.FLOAT16, T.BFLOAT16]:
    values = codes(dtype)
    record(dtype, "raw_data", TensorProto(data_type=dtype, dims=[len(values)], raw_data=raw(dtype, values)))
    record(dtype, "typed", typed(dtype, values))
