# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes ONNX graphs with inputs and expected outputs, for the program network_graphs_test."""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


class Unfit(Exception):
    """A random node does not fit what the graph has; another is drawn."""


class Graph:
    """A graph and the elements of each of its values."""

    def __init__(self, random, opset):
        self.random, self.opset = random, opset
        self.nodes, self.weights, self.inputs, self.values = [], [], [], {}
        self.used = set()
        self.count = 0

    def name(self, of):
        self.count += 1
        return f"{of}{self.count}"

    def noise(self, shape, low=-1.0, high=1.0):
        state = numpy.random.RandomState(self.random.randrange(1 << 31))
        return state.uniform(low, high, shape).astype(numpy.float32)

    def input(self, shape):
        name = self.name("input")
        self.inputs.append(name)
        self.values[name] = self.noise(shape)
        return name

    def constant(self, array):
        """A weight, an output of a node Constant, or a weight of another type that is cast."""
        array = numpy.asarray(array)
        name = self.name("constant")
        form = self.random.choice(["weight", "weight", "node", "typed", "half"])
        if form == "node":
            self.nodes.append(helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array, name)))
        elif form == "typed":
            kind = TensorProto.INT64 if array.dtype == numpy.int64 else TensorProto.FLOAT
            self.weights.append(helper.make_tensor(name, kind, array.shape, array.flatten().tolist()))
        elif form == "half" and array.dtype == numpy.float32:
            half = array.astype(numpy.float16)
            self.weights.append(numpy_helper.from_array(half, name))
            array = half.astype(numpy.float32)
        else:
            self.weights.append(numpy_helper.from_array(array, name))
        self.values[name] = array
        return name

    def node(self, kind, inputs, results, **attributes):
        """Adds a node; `results` are the elements of its outputs. Returns their names."""
        results = [numpy.asarray(r, dtype=None if numpy.asarray(r).dtype == numpy.int64 else numpy.float32)
                   for r in results]
        for result in results:
            if result.size == 0 or result.size > 20000 or result.ndim > 6:
                raise Unfit
            if not numpy.isfinite(result).all() or abs(result).max() > 1000:
                raise Unfit
        names = [self.name(kind.lower()) for _ in results]
        attributes = {key: value for key, value in attributes.items() if value is not None}
        self.nodes.append(helper.make_node(kind, inputs, names, name=names[0] + "_node", **attributes))
        self.used.update(inputs)
        self.values.update(zip(names, results))
        return names

    def one(self, kind, inputs, result, **attributes):
        return self.node(kind, inputs, [result], **attributes)[0]

    def state(self):
        return len(self.nodes), len(self.weights), len(self.inputs), dict(self.values), set(self.used)

    def restore(self, state):
        nodes, weights, inputs, self.values, self.used = state
        del self.nodes[nodes:], self.weights[weights:], self.inputs[inputs:]

    def save(self, path, outputs):
        """Writes PATH.onnx, and the elements of inputs and outputs, in order, as PATH.in and PATH.out."""
        info = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, self.values[name].shape)
        graph = helper.make_graph(self.nodes, "random", [info(n) for n in self.inputs], [info(n) for n in outputs],
                                  initializer=self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=7)
        onnx.checker.check_model(model)
        save(path, model, [self.values[n] for n in self.inputs], [self.values[n] for n in outputs])


def save(path, model, inputs, outputs):
    onnx.save(model, path + ".onnx")
    for ending, arrays in ((".in", inputs), (".out", outputs)):
        with open(path + ending, "wb") as file:
            for array in arrays:
                file.write(numpy.ascontiguousarray(array, dtype="<f4").tobytes())
