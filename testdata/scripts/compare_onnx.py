#!/usr/bin/env python3
"""Times shape inference next to onnx.shape_inference, in process, on the same files.

    compare_onnx.py [--onnx 1.23.2] [--repeat 5]

Makes a virtual environment in a temporary folder, installs onnx from PyPI into
it, and times onnx.shape_inference.infer_shapes(data_prop=True) on the graphs
that BenchmarkZoo of package shapeinfer runs. Both take a parsed model and
return the types of every tensor, with nothing bound; onnx's call serialises
the model into its C++ core and parses the result, as every caller of it does.
Prints a Markdown table with the least time of each. Needs Go, Python 3.9 and a
network.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import venv
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Runs inside the virtual environment: times one file, prints JSON.
CHILD = """
import json, sys, time, onnx
model = onnx.load(sys.argv[1], load_external_data=False)
best = None
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    onnx.shape_inference.infer_shapes(model, data_prop=True)
    took = time.perf_counter() - start
    best = took if best is None else min(best, took)
print(json.dumps({"seconds": best, "nodes": len(model.graph.node)}))
"""


def ours(repeat):
    """Least seconds by model name, from the Go benchmark."""
    text = subprocess.run(["go", "test", "-run", "^$", "-bench", "^BenchmarkZoo$", "-count", str(repeat), "./shapeinfer"],
                          cwd=ROOT, check=True, capture_output=True, text=True).stdout
    best = {}
    for name, ns in re.findall(r"^BenchmarkZoo/(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op", text, re.M):
        best[name] = min(best.get(name, 1e9), float(ns) / 1e9)
    return best


def theirs(python, names, repeat):
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(os.path.join(ROOT, "testdata", "zoo", "models.zip")) as zoo:
        for name in names:
            path = zoo.extract(name + ".onnx", folder)
            out = subprocess.run([python, "-c", CHILD, path, str(repeat)], check=True, capture_output=True, text=True).stdout
            yield name, json.loads(out)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--onnx", default="1.23.2", help="version of onnx to install")
    p.add_argument("--repeat", type=int, default=5)
    a = p.parse_args()
    best = ours(a.repeat)
    if not best:
        sys.exit("the benchmark printed no times")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = os.path.join(folder, "Scripts" if os.name == "nt" else "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "-q", "onnx==" + a.onnx], check=True)
        print(f"| model | nodes | onnxmem | onnx {a.onnx} | times faster |")
        print("|---|---:|---:|---:|---:|")
        for name, r in theirs(python, sorted(best), a.repeat):
            print(f"| {name} | {r['nodes']} | {best[name] * 1e3:.2f} ms | {r['seconds'] * 1e3:.2f} ms | {r['seconds'] / best[name]:.1f} |")


main()
