#!/usr/bin/env python3
"""Holds annotated models against what onnx and ONNX Runtime accept.

    check_annotated.py [--onnxmem PROGRAM] [FOLDER_OR_MODEL_OR_ZIP ...]

Annotates each model with `onnxmem shapes -o` and demands that whatever
onnx.checker.check_model and an onnxruntime.InferenceSession accepted before
they accept after, with the same inputs and outputs, and that onnx reads the
same model but for types. A session of a model whose weights lie in files that
are not here cannot be made; the graphs of the zoo get files of zeros in their
place. Without arguments: the archives and models of testdata. Needs Go, onnx
1.23.2 and onnxruntime 1.32.0 (`pip install onnx==1.23.2 onnxruntime==1.32.0`).
"""
import argparse
import collections
import glob
import os
import subprocess
import sys
import tempfile
import zipfile

import onnx
import onnxruntime as ort

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEFAULT = ["models", "zoo/models.zip", "cases/cases.zip"] + ["conformance/%s/models.zip" % c for c in
           ("node", "node_expanded", "versions", "contrib", "infer", "symbolic")]
ort.set_default_logger_severity(4)


def models(arguments, folder):
    """Yields (label, path) of every model."""
    for argument in arguments:
        if argument.endswith(".zip"):
            into = os.path.join(folder, argument.replace("/", "_"))
            with zipfile.ZipFile(argument) as z:
                z.extractall(into)
            argument = into
        found = [argument] if argument.endswith(".onnx") else sorted(glob.glob(os.path.join(argument, "**", "*.onnx"), recursive=True))
        for path in found:
            yield os.path.join(os.path.basename(argument), os.path.basename(path)), path


def tensors(graph):
    yield from graph.initializer
    for node in graph.node:
        for a in node.attribute:
            if a.HasField("t"):
                yield a.t
            for g in [a.g] * a.HasField("g") + list(a.graphs):
                yield from tensors(g)


def make_data(model, folder):
    """Makes the data files that are missing, as holes."""
    need = collections.Counter()
    for t in list(tensors(model.graph)) + [a.t for f in model.functions for n in f.node for a in n.attribute if a.HasField("t")]:
        if t.data_location == onnx.TensorProto.EXTERNAL:
            entries = {e.key: e.value for e in t.external_data}
            end = int(entries.get("offset", 0)) + int(entries.get("length", 0))
            need[entries["location"]] = max(need[entries["location"]], end)
    made = []
    for name, size in need.items():
        path = os.path.join(folder, name)
        if not os.path.exists(path) and size < 1 << 31:
            with open(path, "wb") as f:
                f.truncate(size)
            made.append(path)
    return made


def checker(path):
    try:
        onnx.checker.check_model(path)
        return ""
    except Exception as e:
        return str(e) or type(e).__name__


def session(path):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        s = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return "", [(i.name, i.type) for i in s.get_inputs()], [(o.name, o.type) for o in s.get_outputs()]
    except Exception as e:
        return str(e) or type(e).__name__, [], []


def strip(model):
    """Clears the types that annotation may write."""
    def graph(g, top):
        del g.value_info[:]
        for v in g.output:
            v.ClearField("type")
        for n in g.node:
            nested(n)

    def nested(n):
        for a in n.attribute:
            if a.HasField("g"):
                graph(a.g, False)
            for g in a.graphs:
                graph(g, False)
    graph(model.graph, True)
    for f in model.functions:
        del f.value_info[:]
        for n in f.node:
            nested(n)
    return model.SerializeToString(deterministic=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--onnxmem", help="the program; built from the repository when not given")
    p.add_argument("models", nargs="*")
    a = p.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        program = a.onnxmem or os.path.join(folder, "onnxmem")
        if not a.onnxmem:
            subprocess.run(["go", "build", "-o", program, "./cmd/onnxmem"], cwd=ROOT, check=True)
        for label, path in models(a.models or [os.path.join(ROOT, "testdata", d) for d in DEFAULT], folder):
            counts["models"] += 1
            out = path[:-5] + ".annotated.onnx" if path.startswith(folder) else os.path.join(folder, "annotated.onnx")
            run = subprocess.run([program, "shapes", path, "-o", out], capture_output=True, text=True)
            if run.returncode not in (0, 1) or not os.path.exists(out):
                counts["refused by onnxmem"] += 1
                print("refused", label, run.stderr.strip())
                continue
            before, after = onnx.load(path, load_external_data=False), onnx.load(out, load_external_data=False)
            made = make_data(before, os.path.dirname(path))
            if strip(before) != strip(after):
                counts["BROKEN: another model"] += 1
                print("another model", label)
            old, new = checker(path), checker(out)
            if not old:
                counts["checker accepts"] += 1
                if new:
                    counts["BROKEN: checker refuses"] += 1
                    print("checker", label, new[:300])
            (old, inputs, outputs), (new, inputs2, outputs2) = session(path), session(out)
            if not old:
                counts["session accepts"] += 1
                if new or inputs != inputs2 or outputs != outputs2:
                    counts["BROKEN: session refuses"] += 1
                    print("session", label, new[:300] or "other inputs or outputs")
            os.remove(out)
            for name in made:
                os.remove(name)
    for what, n in sorted(counts.items()):
        print(f"{n:6} {what}")
    sys.exit(any(w.startswith("BROKEN") for w in counts))


main()
