#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""PyTorch and ONNX Runtime as yardsticks for network_opencl_check --bench and network_bench, to be run in turns
with them on the same machine. Arguments: ONNX files. Computes FP32 on the first CUDA device, without TF32: the least
and the median time of a frame, without copies, eagerly and as a CUDA graph, each frame waited for; frames/s with
graphs on several streams; on the cores, ONNX Runtime with one thread. Knows the operators of two detectors."""
import statistics
import sys
import time

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch.nn import functional

FRAMES = 300


def constants(model):
    values = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant":
            values[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    return values


def convolution(x, attributes, weights, bias=None):
    top, left, bottom, right = attributes.get("pads", [0] * 4)
    if attributes.get("auto_pad", b"NOTSET") == b"SAME_UPPER":
        total = [max(0, (-(-side // stride) - 1) * stride + kernel - side) for side, stride, kernel in
                 zip(x.shape[2:], attributes["strides"], weights.shape[2:])]
        (top, left), (bottom, right) = [t // 2 for t in total], [t - t // 2 for t in total]
    padding = (top, left)
    if (top, left) != (bottom, right):
        x, padding = functional.pad(x, (left, right, top, bottom)), 0
    return functional.conv2d(x, weights, bias, attributes.get("strides", 1), padding, attributes.get("dilations", 1),
                             attributes.get("group", 1))


class Network:
    """An ONNX file's nodes as calls of PyTorch."""

    def __init__(self, path):
        model = onnx.load(path)
        self.known = constants(model)
        self.weights = {name: torch.from_numpy(value.copy()).cuda() for name, value in self.known.items()}
        self.nodes = [(node.op_type, list(node.input), node.output[0],
                       {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute})
                      for node in model.graph.node if node.op_type != "Constant"]
        of = next(each for each in model.graph.input if each.name not in self.known)
        self.input, self.output = of.name, model.graph.output[0].name
        self.shape = [side.dim_value or 1 for side in of.type.tensor_type.shape.dim]

    def __call__(self, x):
        values = {**self.weights, self.input: x}
        for operation, names, output, attributes in self.nodes:
            values[output] = self.compute(operation, names, [values.get(name) for name in names], attributes)
        return values[self.output]

    def compute(self, operation, names, x, attributes):
        if operation == "Conv":
            return convolution(x[0], attributes, *x[1:])
        if operation == "LeakyRelu":
            return functional.leaky_relu(x[0], attributes.get("alpha", 0.01), inplace=True)
        if operation == "Clip":
            return x[0].clamp_(attributes["min"], attributes["max"])
        if operation == "Add":
            return x[0] + x[1]
        if operation == "Concat":
            return torch.cat(x, attributes["axis"])
        if operation == "Reshape":
            return x[0].reshape([int(side) or x[0].shape[i] for i, side in enumerate(self.known[names[1]])])
        if operation == "Transpose":
            return x[0].permute(attributes["perm"])
        if operation == "MaxPool":
            return functional.max_pool2d(x[0], attributes["kernel_shape"], attributes["strides"],
                                         attributes["pads"][0])
        if operation == "Resize":
            size = self.known[names[3]][2:] if len(names) > 3 else self.known[names[2]][2:] * x[0].shape[2:]
            return functional.interpolate(x[0], [int(side) for side in size], mode="bilinear")
        raise ValueError(f"{operation} is not known here")


def frame_ms(compute):
    times = []
    for _ in range(FRAMES):
        start = time.perf_counter()
        compute()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return f"{min(times):.3f} least, {statistics.median(times):.3f} median"


def captured(network, image):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(5):
            network(image)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        network(image)
    return graph


def frames_a_second(network, image, streams):
    each = [(captured(network, image), torch.cuda.Stream()) for _ in range(streams)]
    torch.cuda.synchronize()
    start = time.perf_counter()
    for frame in range(FRAMES * streams):
        graph, stream = each[frame % streams]
        with torch.cuda.stream(stream):
            graph.replay()
    torch.cuda.synchronize()
    return FRAMES * streams / (time.perf_counter() - start)


def on_a_core(path, image):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: image}
    outputs, times = session.run(None, feed), []
    for _ in range(FRAMES // 5):
        start = time.perf_counter()
        session.run(None, feed)
        times.append(1e3 * (time.perf_counter() - start))
    return outputs[0], f"{min(times):.2f} least, {statistics.median(times):.2f} median"


def main(paths):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    for path in paths:
        network = Network(path)
        array = np.random.default_rng(1).standard_normal(network.shape).astype(np.float32)
        image = torch.from_numpy(array).cuda()
        expected, core = on_a_core(path, array)
        with torch.inference_mode():
            for _ in range(5):
                found = network(image)
            difference = np.abs(found.cpu().numpy() - expected).max() / np.abs(expected).max()
            print(f"{path}: differs from ONNX Runtime by {difference:.1e} of the largest value")
            print(f"  ONNX Runtime on a core, ms: {core}")
            print(f"  PyTorch, ms: {frame_ms(lambda: network(image))}")
            graph = captured(network, image)
            print(f"  PyTorch as a CUDA graph, ms: {frame_ms(graph.replay)}")
            for streams in (1, 2, 4, 8):
                print(f"  {streams} graphs in flight, frames/s: {frames_a_second(network, image, streams):.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
