#!/usr/bin/env python3
"""Records what ONNX Runtime requests for models with operators that it takes apart.

    ort_functions.py OUT.zip

Makes small models around operators that are functions and that the CPU provider
has no kernel for (some only for certain versions or types), alone, in a network,
in bodies of If, Loop and Scan and in local functions; runs each with
optimisations off, one thread and no memory pattern; and writes NAME.onnx and
NAME.json: the shape and element type of every input, the values of those that
decide a shape, and for each executed kernel its operator and the bytes requested
after it ran, above the level before the first one. A model that the runtime
refuses ends the script. Needs onnx, onnxruntime and numpy.
"""
import json
import os
import sys
import tempfile
import zipfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto as T
from onnx import helper, numpy_helper

NUMPY = {T.FLOAT: np.float32, T.DOUBLE: np.float64, T.FLOAT16: np.float16, T.INT64: np.int64, T.INT32: np.int32, T.BOOL: np.bool_}
CASES = {}


class Builder:
    """A model: nodes in order, inputs with the real shape of the run."""

    def __init__(self, name, opset):
        self.name, self.opset = name, opset
        self.nodes, self.inputs, self.outputs, self.weights, self.functions = [], [], [], [], []
        self.shapes, self.values = {}, {}
        CASES[name] = self

    def input(self, name, dtype, shape, declared=None, value=None):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, declared or shape))
        self.shapes[name] = (dtype, shape)
        if value is not None:
            self.values[name] = np.array(value, dtype=NUMPY[dtype]).reshape(shape)
        return name

    def weight(self, name, value):
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, outputs, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def output(self, *names, dtype=T.FLOAT):
        self.outputs += [helper.make_tensor_value_info(n, dtype, None) for n in names]

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("local", 1)]
        m = helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=self.functions)
        return m


def unary(name, opset, op, typ, shape=(8, 16, 24), out=None, domain="", **attributes):
    """x -> Neg -> op -> Neg -> y, so that its buffers meet others."""
    b = Builder(name, opset)
    b.input("x", typ, shape)
    b.node("Neg", ["x"], ["a"])
    b.node(op, ["a"], ["b"], domain, **attributes)
    b.node("Identity" if out else "Neg", ["b"], ["y"])
    b.output("y", dtype=out or typ)


def binary(name, opset, op, dtype, shape=(8, 16, 24), out=None, **attributes):
    b = Builder(name, opset)
    b.input("x", dtype, shape)
    b.input("z", dtype, shape)
    b.node("Neg", ["x"], ["a"])
    b.node(op, ["a", "z"], ["y"], **attributes)
    b.output("y", dtype=out or dtype)


def classifier(name, opset, loss, dtype=T.FLOAT, batch=16, classes=40, extra=(), labels=T.INT64, weights=False, log_prob=False, **attributes):
    """A projection and its loss; extra are further dims of the scores."""
    b = Builder(name, opset)
    b.input("x", dtype, (batch, 32), ("batch", 32))
    b.input("labels", labels, (batch, *extra), ("batch", *extra))
    b.weight("w", np.zeros((32, classes * int(np.prod(extra, dtype=int))), NUMPY[dtype]))
    scores = b.node("MatMul", ["x", "w"], ["scores"])
    if extra:
        b.weight("shape", np.array([0, classes, *extra], np.int64))
        scores = b.node("Reshape", ["scores", "shape"], ["volume"])
    if loss == "NegativeLogLikelihoodLoss":
        scores = b.node("LogSoftmax", [scores], ["log"], axis=1)
    if weights:
        b.weight("class_weights", np.ones(classes, NUMPY[dtype]))
    outputs = ["loss", "log_prob"] if log_prob else ["loss"]
    b.node(loss, [scores, "labels"] + ["class_weights"] * weights, outputs, **attributes)
    b.output(*outputs, dtype=dtype)


def attention(name, opset, dtype, heads=None, causal=0, mask=None, past=False, **attributes):
    b = Builder(name, opset)
    shape = (2, 10, 32) if heads else (2, 4, 10, 8)
    kv = (2, 10, heads[1] * 8) if heads else (2, 2, 10, 8)
    b.input("q", dtype, shape)
    b.input("k", dtype, kv)
    b.input("v", dtype, kv)
    inputs, outputs = ["q", "k", "v"], ["y"]
    if mask or past:
        inputs.append(b.input("mask", mask, (10, 20 if past else 10)) if mask else "")
    if past:
        inputs += [b.input(n, dtype, (2, heads[1] if heads else 2, 10, 8)) for n in ("past_key", "past_value")]
        outputs += ["present_key", "present_value"]
    if heads:
        attributes.update(q_num_heads=heads[0], kv_num_heads=heads[1])
    b.node("Attention", inputs, outputs, is_causal=causal, **attributes)
    b.output(*outputs, dtype=dtype)


def losses():
    for opset in (12, 13, 17, 22):
        classifier(f"cross_entropy_{opset}", opset, "SoftmaxCrossEntropyLoss")
    classifier("cross_entropy_none_log_prob", 17, "SoftmaxCrossEntropyLoss", reduction="none", log_prob=True)
    classifier("cross_entropy_weights_ignore", 17, "SoftmaxCrossEntropyLoss", weights=True, ignore_index=3)
    classifier("cross_entropy_double_ignore", 17, "SoftmaxCrossEntropyLoss", T.DOUBLE, ignore_index=3)
    classifier("cross_entropy_float16", 17, "SoftmaxCrossEntropyLoss", T.FLOAT16)
    classifier("cross_entropy_volume_sum", 17, "SoftmaxCrossEntropyLoss", extra=(6, 5), labels=T.INT32, reduction="sum")
    for reduction in ("none", "sum", "mean"):
        classifier(f"likelihood_{reduction}", 18, "NegativeLogLikelihoodLoss", reduction=reduction)
    classifier("likelihood_weights_12", 12, "NegativeLogLikelihoodLoss", weights=True, ignore_index=-1, extra=(7,))
    classifier("likelihood_float16_ignore", 17, "NegativeLogLikelihoodLoss", T.FLOAT16, ignore_index=2)


def activations():
    # A body that is the same at every opset holds only while its operators are.
    for opset in (16, 18, 19, 22):
        unary(f"leaky_relu_float16_{opset}", opset, "LeakyRelu", T.FLOAT16)
    for opset in (17, 18, 19):
        unary(f"relu_float16_{opset}", opset, "Relu", T.FLOAT16)
    unary("leaky_relu_double_17", 17, "LeakyRelu", T.DOUBLE)
    for op in ("Elu", "Selu", "HardSigmoid", "ThresholdedRelu", "Softplus", "Softsign"):
        unary(f"{op.lower()}_double_18", 18, op, T.DOUBLE)
        unary(f"{op.lower()}_float16_18", 18, op, T.FLOAT16)
        unary(f"{op.lower()}_float16_22", 22, op, T.FLOAT16)
    for dtype, n in ((T.FLOAT, "float"), (T.FLOAT16, "float16")):
        unary(f"hard_swish_{n}", 14, "HardSwish", dtype)
        unary(f"mish_{n}", 22, "Mish", dtype)
        unary(f"swish_{n}_24", 24, "Swish", dtype)
    unary("swish_double_24", 24, "Swish", T.DOUBLE, alpha=1.5)
    unary("gelu_tanh_float16", 20, "Gelu", T.FLOAT16, approximate="tanh")
    unary("quick_gelu_double", 17, "QuickGelu", T.DOUBLE, domain="com.microsoft")
    unary("fast_gelu_double", 17, "FastGelu", T.DOUBLE, domain="com.microsoft")
    unary("softmax_float16_13", 13, "Softmax", T.FLOAT16)
    unary("log_softmax_float16_24", 24, "LogSoftmax", T.FLOAT16)
    binary("prelu_double_16", 16, "PRelu", T.DOUBLE)
    binary("prelu_float16_19", 19, "PRelu", T.FLOAT16)
    for opset in (12, 13, 18, 19):
        binary(f"greater_or_equal_float16_{opset}", opset, "GreaterOrEqual", T.FLOAT16, out=T.BOOL)
    binary("less_or_equal_float16_16", 16, "LessOrEqual", T.FLOAT16, out=T.BOOL)
    unary("microsoft_gelu_float16", 17, "Gelu", T.FLOAT16, domain="com.microsoft")
    unary("gelu_float16", 22, "Gelu", T.FLOAT16)


def reductions():
    for opset in (18, 19, 28):
        for op in ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"):
            unary(f"{op.lower()}_float16_{opset}", opset, op, T.FLOAT16)
    unary("reducelogsumexp_float_28", 28, "ReduceLogSumExp", T.FLOAT, keepdims=0)
    unary("reducelogsum_float_27", 27, "ReduceLogSum", T.FLOAT)


def normalizations():
    for opset, dtype in ((18, T.FLOAT), (21, T.FLOAT), (21, T.FLOAT16)):
        b = Builder(f"group_norm_{opset}_{T.DataType.Name(dtype).lower()}", opset)
        b.input("x", dtype, (2, 8, 9, 7), ("batch", 8, 9, 7))
        for n in ("scale", "bias"):
            b.weight(n, np.ones(2 if opset < 21 else 8, NUMPY[dtype]))
        b.node("GroupNormalization", ["x", "scale", "bias"], ["y"], num_groups=2)
        b.output("y", dtype=dtype)
    for opset, dtype in ((14, T.FLOAT16), (19, T.FLOAT16)):
        unary(f"mean_variance_{opset}_{T.DataType.Name(dtype).lower()}", opset, "MeanVarianceNormalization", dtype, (2, 3, 8, 8))


def tensors():
    for n, axes in (("all", None), ("axes", [1, 2])):
        b = Builder(f"center_crop_{n}", 18)
        b.input("image", T.FLOAT, (3, 40, 50), (3, "height", "width"))
        b.weight("target", np.array([3, 32, 32] if axes is None else [32, 64], np.int64))
        b.node("CenterCropPad", ["image", "target"], ["cropped"], **({"axes": axes} if axes else {}))
        b.node("Relu", ["cropped"], ["y"])
        b.output("y")
    unary("bernoulli_float", 15, "Bernoulli", T.FLOAT)
    unary("bernoulli_double_bool", 15, "Bernoulli", T.DOUBLE, out=T.BOOL, dtype=T.BOOL)
    binary("cast_like", 21, "CastLike", T.FLOAT)
    unary("depth_to_space_int32_28", 28, "DepthToSpace", T.INT32, (1, 16, 8, 8), blocksize=2, mode="CRD")
    unary("space_to_depth_int32_28", 28, "SpaceToDepth", T.INT32, (1, 4, 8, 8), blocksize=2)
    for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        b = Builder(f"{op.lower()}_float16", 17)
        b.input("size", T.INT64, (), value=48)
        b.node(op, ["size"], ["y"], output_datatype=int(T.FLOAT16), periodic=0)
        b.output("y", dtype=T.FLOAT16)
    b = Builder("range_float16_27", 27)
    for n, v in (("start", 0), ("limit", 2), ("delta", 1)):
        b.input(n, T.FLOAT16, (), value=v)
    b.node("Range", ["start", "limit", "delta"], ["y"])
    b.output("y", dtype=T.FLOAT16)
    b = Builder("affine_grid_float16_20", 20)
    b.input("theta", T.FLOAT16, (2, 2, 3))
    b.weight("size", np.array([2, 3, 6, 5], np.int64))
    b.node("AffineGrid", ["theta", "size"], ["grid"])
    b.output("grid", dtype=T.FLOAT16)


def attentions():
    attention("attention_double_23", 23, T.DOUBLE)
    attention("attention_double_24_heads_causal", 24, T.DOUBLE, heads=(4, 2), causal=1)
    attention("attention_25_mask", 25, T.FLOAT, mask=T.BOOL)
    attention("attention_25_past", 25, T.FLOAT, heads=(4, 4), causal=1, past=True)
    attention("attention_25_window", 25, T.FLOAT, heads=(4, 2), causal=1, left_window_size=3)
    attention("attention_25_softcap", 25, T.FLOAT, heads=(4, 4), softcap=2.0)
    b = Builder("causal_conv_27", 27)
    b.input("x", T.FLOAT, (2, 12, 20), ("batch", 12, "length"))
    b.weight("w", np.ones((12, 1, 4), np.float32))
    b.node("CausalConvWithState", ["x", "w"], ["y", "state"], activation="silu")
    b.output("y", "state")
    b = Builder("linear_attention_27_two_steps", 27)
    for n in "qkv":
        b.input(n, T.FLOAT, (2, 2, 32))
    b.node("LinearAttention", ["q", "k", "v"], ["y", "state"], q_num_heads=4, kv_num_heads=4, update_rule="linear")
    b.output("y", "state")


def graph(nodes, outputs, inputs=(), dtype=T.FLOAT, name="body"):
    return helper.make_graph(nodes, name, list(inputs), [helper.make_tensor_value_info(o, d, None) for o, d in outputs])


def bodies():
    """Functions in bodies, and bodies in functions."""
    swish = helper.make_node("HardSwish", ["a"], ["h"])
    b = Builder("if_hard_swish", 18)
    b.input("x", T.FLOAT, (16, 64))
    b.input("flag", T.BOOL, (), value=True)
    b.node("Neg", ["x"], ["a"])
    b.node("If", ["flag"], ["y"], then_branch=graph([swish, helper.make_node("Neg", ["h"], ["t"])], [("t", T.FLOAT)]),
           else_branch=graph([helper.make_node("Identity", ["a"], ["e"])], [("e", T.FLOAT)]))
    b.output("y")

    b = Builder("if_loss", 17)
    b.input("x", T.FLOAT, (16, 64))
    b.input("labels", T.INT64, (16,))
    b.input("train", T.BOOL, (), value=True)
    b.node("Neg", ["x"], ["a"])
    b.node("If", ["train"], ["y"],
           then_branch=graph([helper.make_node("SoftmaxCrossEntropyLoss", ["a", "labels"], ["loss"])], [("loss", T.FLOAT)]),
           else_branch=graph([helper.make_node("ReduceSum", ["a"], ["sum"], keepdims=0)], [("sum", T.FLOAT)]))
    b.output("y")

    b = Builder("loop_mish", 18)
    b.input("x", T.FLOAT, (16, 64))
    b.weight("n", np.array(2, np.int64))
    b.weight("go", np.array(True))
    body = graph([helper.make_node("Identity", ["c"], ["co"]), helper.make_node("Mish", ["s"], ["m"]), helper.make_node("Neg", ["m"], ["so"])],
                 [("co", T.BOOL), ("so", T.FLOAT)],
                 [helper.make_tensor_value_info("i", T.INT64, ()), helper.make_tensor_value_info("c", T.BOOL, ()), helper.make_tensor_value_info("s", T.FLOAT, (16, 64))])
    b.node("Neg", ["x"], ["a"])
    b.node("Loop", ["n", "go", "a"], ["l"], body=body)
    b.node("Neg", ["l"], ["y"])
    b.output("y")

    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]

    def reference(node, attribute, parameter, kind):
        a = node.attribute.add()
        a.name, a.ref_attr_name, a.type = attribute, parameter, kind
        return node

    inner = helper.make_function("local", "Leak", ["v"], ["w"], [
        reference(helper.make_node("LeakyRelu", ["v"], ["l"]), "alpha", "slope", onnx.AttributeProto.FLOAT),
        reference(helper.make_node("Concat", ["l", "v"], ["c"]), "axis", "where", onnx.AttributeProto.INT),
        helper.make_node("HardSwish", ["c"], ["w"])], opsets, ["slope", "where"])
    outer = helper.make_function("local", "Twice", ["p"], ["q"], [
        reference(reference(helper.make_node("Leak", ["p"], ["m"], domain="local"), "slope", "slope", onnx.AttributeProto.FLOAT), "where", "where", onnx.AttributeProto.INT),
        helper.make_node("Neg", ["m"], ["n"]),
        reference(helper.make_node("Leak", ["n"], ["q"], domain="local", slope=0.5), "where", "where", onnx.AttributeProto.INT)], opsets, ["slope", "where"])
    for axis in (0, 1):
        b = Builder(f"nested_functions_axis{axis}", 18)
        b.functions = [inner, outer]
        b.input("x", T.FLOAT, (16, 64), ("batch", 64))
        b.node("Twice", ["x"], ["t"], domain="local", slope=0.1, where=axis)
        b.node("Neg", ["t"], ["y"])
        b.output("y")

    branch = helper.make_function("local", "Choose", ["p", "flag"], ["q"], [
        helper.make_node("If", ["flag"], ["q"], then_branch=graph([helper.make_node("Leak", ["p"], ["t"], domain="local", slope=0.5, where=0)], [("t", T.FLOAT)]),
                         else_branch=graph([helper.make_node("Mish", ["p"], ["e"])], [("e", T.FLOAT)]))], opsets)
    b = Builder("function_with_if_of_functions", 18)
    b.functions = [inner, branch]
    b.input("x", T.FLOAT, (16, 64))
    b.input("flag", T.BOOL, (), value=True)
    b.node("Neg", ["x"], ["a"])
    b.node("Choose", ["a", "flag"], ["t"], domain="local")
    b.node("Neg", ["t"], ["y"])
    b.output("y")

    # An attribute by reference inside a branch, with a default that a call may leave.
    widened = helper.make_function("local", "Widen", ["p", "flag"], ["q"], [
        helper.make_node("If", ["flag"], ["q"],
                         then_branch=graph([reference(helper.make_node("Concat", ["p", "p"], ["t"]), "axis", "where", onnx.AttributeProto.INT)], [("t", T.FLOAT)]),
                         else_branch=graph([helper.make_node("Mish", ["p"], ["e"])], [("e", T.FLOAT)]))], opsets,
        attribute_protos=[helper.make_attribute("where", 1)])
    for n, given in (("given", {"where": 0}), ("default", {})):
        b = Builder(f"function_with_if_by_reference_{n}", 18)
        b.functions = [widened]
        b.input("x", T.FLOAT, (16, 64))
        b.input("flag", T.BOOL, (), value=True)
        b.node("Neg", ["x"], ["a"])
        b.node("Widen", ["a", "flag"], ["t"], domain="local", **given)
        b.node("ReduceSum", ["t"], ["y"], keepdims=0)
        b.output("y")

    turn = graph([helper.make_node("Identity", ["c"], ["co"]), helper.make_node("Leak", ["s"], ["m"], domain="local", slope=0.5, where=0),
                  helper.make_node("Slice", ["m", "from", "to"], ["so"]), helper.make_node("ReduceSum", ["so"], ["total"], keepdims=0)],
                 [("co", T.BOOL), ("so", T.FLOAT), ("total", T.FLOAT)],
                 [helper.make_tensor_value_info("i", T.INT64, ()), helper.make_tensor_value_info("c", T.BOOL, ()), helper.make_tensor_value_info("s", T.FLOAT, (16, 64))])
    looped = helper.make_function("local", "Repeat", ["p", "n", "from", "to"], ["q", "totals"], [
        helper.make_node("Constant", [], ["go"], value=numpy_helper.from_array(np.array(True))),
        helper.make_node("Loop", ["n", "go", "p"], ["q", "totals"], body=turn)], opsets)
    b = Builder("function_with_loop_of_functions", 18)
    b.functions = [inner, looped]
    b.input("x", T.FLOAT, (16, 64))
    b.weight("n", np.array(3, np.int64))
    b.weight("from", np.array([0], np.int64))
    b.weight("to", np.array([16], np.int64))
    b.node("Neg", ["x"], ["a"])
    b.node("Repeat", ["a", "n", "from", "to"], ["r", "totals"], domain="local")
    b.node("Neg", ["r"], ["y"])
    b.output("y", "totals")

    element = graph([helper.make_node("Neg", ["e"], ["n"]), helper.make_node("Exp", ["n"], ["r"])], [],
                    [helper.make_tensor_value_info("e", T.FLOAT, (16, 32))])
    element.output.append(helper.make_tensor_value_info("r", T.FLOAT, (16, 32)))
    b = Builder("sequence_map", 18)
    b.input("x", T.FLOAT, (16, 64))
    b.weight("split", np.array([32, 32], np.int64))
    b.node("SplitToSequence", ["x", "split"], ["s"], axis=1)
    b.node("SequenceMap", ["s"], ["m"], body=element)
    b.node("ConcatFromSequence", ["m"], ["y"], axis=1)
    b.output("y")


def feeds(b):
    random = np.random.default_rng(1)
    values = {}
    for name, (dtype, shape) in b.shapes.items():
        if name in b.values:
            values[name] = b.values[name]
        elif np.issubdtype(NUMPY[dtype], np.floating):
            values[name] = random.random(shape).astype(NUMPY[dtype])
        else:
            values[name] = np.zeros(shape, NUMPY[dtype])
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
    base, steps = None, []
    for args in events:
        used = int(args["mem_bytes_requested_in_use"])
        if base is None:
            base = used - int(args["mem_requested_in_use_delta"])
        steps.append([args["op_name"], used - base])
    return steps


def write(archive, name, data):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    archive.writestr(entry, data, compresslevel=9)


def main():
    for make in (losses, activations, reductions, normalizations, tensors, attentions, bodies):
        make()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(sys.argv[1], "w") as archive:
        for name, b in sorted(CASES.items()):
            model = b.model()
            try:
                steps = profile(model, feeds(b), folder)
            except Exception as error:
                raise SystemExit(f"{name}: {error}")
            record = {
                "inputs": {n: {"dtype": T.DataType.Name(d), "shape": list(s)} for n, (d, s) in b.shapes.items()},
                "feed": {n: v.flatten().tolist() for n, v in b.values.items()},
                "steps": steps,
            }
            write(archive, name + ".json", json.dumps(record, separators=(",", ":")))
            write(archive, name + ".onnx", model.SerializeToString(deterministic=True))


main()
