#!/usr/bin/env python3
"""Records the operator versions that ONNX Runtime adds to the default domain: schemas/ort_default.json.gz.

Needs onnx and onnxruntime. What onnx itself declares is left out.
"""
import gzip
import json
import pathlib

import onnx
import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema


def formals(parameters):
    return [{"name": p.name, "type": p.typeStr, "option": str(p.option).rsplit(".", 1)[-1]} for p in parameters]


def record(s):
    entry = {
        "name": s.name, "domain": s.domain, "since": s.since_version,
        "inputs": formals(s.inputs), "outputs": formals(s.outputs),
        "attributes": {
            name: {"type": str(a.type).rsplit(".", 1)[-1], **({"required": True} if a.required else {})}
            for name, a in sorted(s.attributes.items())},
        "types": {t.type_param_str: sorted(t.allowed_type_strs) for t in s.type_constraints},
        "arity": [s.min_input, s.max_input, s.min_output, s.max_output],
    }
    if s.deprecated:
        entry["deprecated"] = True
    return entry


def main():
    known = {(s.domain, s.name, s.since_version) for s in onnx.defs.get_all_schemas_with_history()}
    added = [s for s in get_all_operator_schema() if s.domain == "" and (s.domain, s.name, s.since_version) not in known]
    added.sort(key=lambda s: (s.name, s.since_version))
    lists = {"source": f"onnxruntime {onnxruntime.__version__}", "licence": "MIT", "schemas": [record(s) for s in added]}
    path = pathlib.Path(__file__).resolve().parent.parent / "schemas" / "ort_default.json.gz"
    path.write_bytes(gzip.compress(json.dumps(lists, separators=(",", ":")).encode(), 9, mtime=0))


main()
