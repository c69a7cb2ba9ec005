#!/usr/bin/env python3
"""Records what ONNX Runtime requests for the operator cases of conformance.

    ort_kernels.py TESTDATA OUT.jsonl.gz

Runs every model of the corpora node, node_expanded, versions and contrib whose
inputs are plain tensors, on the CPU with optimisations off, one thread and no
memory pattern, and writes for each executed kernel its operator and the bytes
requested after it ran, above the level before the first kernel. Inputs that do
not decide a shape are ones (floats) or zeros. Cases that the runtime refuses
are left out. Needs onnx, onnxruntime and numpy.
"""
import gzip
import json
import os
import sys
import tempfile
import zipfile

import numpy as np
import onnx
import onnxruntime as ort

NUMPY = {1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64,
         9: np.bool_, 10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64}


def cases(root, corpus):
    folder = os.path.join(root, "conformance", corpus)
    models = zipfile.ZipFile(os.path.join(folder, "models.zip"))
    for line in open(os.path.join(folder, "manifest.jsonl")):
        case = json.loads(line)
        if not case.get("expect_error"):
            yield case, onnx.ModelProto.FromString(models.read(case["file"]))


def feeds(case, model):
    """Values for all inputs, None when one is no plain tensor."""
    stored = {t.name for t in model.graph.initializer}
    values = {}
    for value in model.graph.input:
        if value.name in stored or value.name not in case["inputs"]:
            continue
        known = case["inputs"][value.name]
        dtype = NUMPY.get(value.type.tensor_type.elem_type)
        if known.get("absent") or not value.type.HasField("tensor_type") or dtype is None:
            return None
        if value.name in case.get("feed", {}):
            values[value.name] = np.array(case["feed"][value.name], dtype=dtype).reshape(known["shape"])
        else:
            fill = 1 if np.issubdtype(dtype, np.floating) else 0
            values[value.name] = np.full(known["shape"], fill, dtype=dtype)
    return values


def profile(model, values, folder):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    options.enable_profiling = True
    options.profile_file_prefix = os.path.join(folder, "profile")
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    session.run(None, values)
    path = session.end_profiling()
    events = [e["args"] for e in json.load(open(path)) if e.get("cat") == "Node" and e["name"].endswith("_kernel_time")]
    os.unlink(path)
    base = None
    steps = []
    for args in events:
        used = int(args["mem_bytes_requested_in_use"])
        if base is None:
            base = used - int(args["mem_requested_in_use_delta"])
        steps.append([args["op_name"], used - base])
    return steps


def main():
    root, out = sys.argv[1:]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for corpus in ("node", "node_expanded", "versions", "contrib"):
            for case, model in cases(root, corpus):
                values = feeds(case, model)
                if values is None:
                    continue
                try:
                    steps = profile(model, values, folder)
                except Exception:
                    continue
                lines.append(json.dumps({"corpus": corpus, "case": case["name"], "steps": steps}, separators=(",", ":")))
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as packed:
        packed.write(("\n".join(lines) + "\n").encode())


main()
