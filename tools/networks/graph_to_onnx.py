# SPDX-License-Identifier: LGPL-2.1-or-later
"""Converts the nodes of a TensorFlow.js graph model into nodes of ONNX, opset 11.

Images of TensorFlow are N x H x W x C, those of ONNX N x C x H x W. Transpose makes no node: a tensor keeps the order
of its sides. Pad becomes part of the convolution or pooling behind it, and a bias part of the convolution in front.
"""

import base64
import collections
import dataclasses
import graphlib
import math

import numpy as np
from onnx import helper, numpy_helper

NHWC = (0, 2, 3, 1)


class Problem(Exception):
    """The reason why there is no result, for the user."""


@dataclasses.dataclass(frozen=True)
class Tensor:
    name: str
    shape: tuple  # in ONNX
    order: tuple  # side i in TensorFlow is side order[i] in ONNX
    pads: tuple = ()  # (before, after) of each side in ONNX, which are not yet in `shape`
    pad_value: float = 0


class Node:
    """A node of the graph with its attributes."""

    def __init__(self, data):
        self.name, self.op, self.attributes = data["name"], data["op"], data.get("attr", {})
        # "name:1" is the second output of a node. "^name" only orders nodes.
        named = [text.partition(":") for text in data.get("input", []) if not text.startswith("^")]
        self.inputs = [(name, int(index or 0)) for name, _, index in named]

    def text(self, key):
        return base64.b64decode(self.attributes[key]["s"]).decode()

    def flag(self, key):
        return self.attributes.get(key, {}).get("b", False)

    def window(self, key):
        """The rows and columns of an attribute with a number for each of N x H x W x C."""
        numbers = [int(number) for number in self.attributes[key]["list"]["i"]]
        require(len(numbers) == 4 and numbers[0] == numbers[3] == 1 and min(numbers) > 0, f"has {key} {numbers}")
        return numbers[1:3]


def require(holds, problem):
    if not holds:
        raise Problem(problem)


def constant_of(value):
    require(isinstance(value, np.ndarray), "has an input that is not constant")
    return value


class Converter:
    """Has the nodes and weights of ONNX once `run` is done. Throws Problem with the name of the node."""

    def __init__(self, weights):
        self.weights, self.nodes, self.initializers, self.inputs = weights, [], [], []
        self.values = {}  # of each node its outputs: arrays if constant, else tensors
        self.uses = collections.Counter()
        self.convolutions = {}  # without a bias

    def run(self, graph, outputs):
        """Converts all nodes and returns the tensors of the nodes `outputs`."""
        nodes = {data["name"]: Node(data) for data in graph}
        self.uses.update(name for node in nodes.values() for name, _ in node.inputs)
        self.uses.update(outputs)
        missing = sorted(set(self.uses) - set(nodes))
        require(not missing, f"the nodes {missing} are missing")
        try:
            before = {name: [source for source, _ in node.inputs] for name, node in nodes.items()}
            order = list(graphlib.TopologicalSorter(before).static_order())
        except graphlib.CycleError:
            raise Problem("the graph has a cycle") from None
        for name in order:
            self.convert(nodes[name])
        results = [self.values[name][0] for name in outputs]
        require(not any(getattr(value, "pads", ()) for value in results), "an output is behind a Pad")
        return results

    def convert(self, node):
        prefix = f"node '{node.name}' ({node.op}) "
        require(node.op in OPERATORS, prefix + f"is none of the operators {', '.join(sorted(OPERATORS))}")
        try:
            inputs = [self.values[name][index] for name, index in node.inputs]
            if node.op not in TAKES_PADDING:
                require(not any(getattr(value, "pads", ()) for value in inputs),
                        "is behind a Pad: only Conv2D and MaxPool may be")
            result = OPERATORS[node.op](self, node, *inputs)
        except Problem as problem:
            raise Problem(prefix + str(problem)) from None
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise Problem(prefix + f"has inputs or attributes of another form: {error!r}") from error
        self.values[node.name] = result if isinstance(result, list) else [result]

    def emit(self, op, name, inputs, shape, order, **attributes):
        require(min(shape) > 0, f"has a result of {shape}")
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return Tensor(name, tuple(shape), order)

    def initializer(self, name, array):
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def const(self, node):
        require(node.name in self.weights, "has no weights in the manifest")
        return self.weights[node.name]

    def placeholder(self, node):
        shape = tuple(int(side["size"]) for side in node.attributes["shape"]["shape"]["dim"])
        require(shape and min(shape) > 0, f"has the shape {shape}")
        self.inputs.append(Tensor(node.name, shape, tuple(range(len(shape)))))
        return self.inputs[-1]

    def identity(self, _, x):
        return x

    def sparse_to_dense(self, _, indices, shape, values, default):
        dense = np.full(constant_of(shape), constant_of(default))
        dense[tuple(constant_of(indices).T)] = constant_of(values)
        return dense

    def transpose(self, _, x, order):
        order = constant_of(order).tolist()
        require(sorted(order) == list(range(len(x.order))), f"has the order {order}")
        return dataclasses.replace(x, order=tuple(x.order[side] for side in order))

    def pad(self, _, x, paddings, value=np.zeros(())):
        require(not x.pads and constant_of(paddings).shape == (len(x.shape), 2) and paddings.min() >= 0,
                f"has the paddings {paddings.tolist()}")
        pads = [None] * len(x.shape)
        for side, pair in zip(x.order, paddings.tolist()):
            pads[side] = tuple(pair)
        return dataclasses.replace(x, pads=tuple(pads), pad_value=float(constant_of(value)))

    def padded_image(self, node, x, pad_value):
        """Returns x's rows and columns with its padding, and that padding in the order of ONNX."""
        require(node.text("data_format") == "NHWC" and node.text("padding") == "VALID",
                f"has {node.text('data_format')} and {node.text('padding')}: only NHWC and VALID are supported")
        require(x.order == NHWC, "has an input that is not N x H x W x C")
        pads = x.pads or ((0, 0),) * 4
        require(pads[:2] == ((0, 0), (0, 0)), f"is behind a Pad of {pads[:2]} of images and channels")
        require(not x.pads or x.pad_value == pad_value, f"is behind a Pad with {x.pad_value}, not {pad_value}")
        padded = [side + sum(pair) for side, pair in zip(x.shape[2:], pads[2:])]
        return padded, [pair[end] for end in (0, 1) for pair in pads[2:]]

    def convolution(self, node, x, kernel):
        kernel = constant_of(kernel).astype(np.float32)
        padded, pads = self.padded_image(node, x, 0)
        require(kernel.ndim == 4 and kernel.shape[2] == x.shape[1],
                f"has weights of {kernel.shape} for {x.shape[1]} channels")
        require(np.isfinite(kernel).all(), "has weights that are not finite")
        strides, dilations = node.window("strides"), node.window("dilations")
        sides = [(side - (taps - 1) * dilation - 1) // stride + 1
                 for side, taps, dilation, stride in zip(padded, kernel.shape, dilations, strides)]
        weights = self.initializer(node.name + "/weights", kernel.transpose(3, 2, 0, 1))
        result = self.emit("Conv", node.name, [x.name, weights], (x.shape[0], kernel.shape[3], *sides), NHWC,
                           kernel_shape=kernel.shape[:2], strides=strides, dilations=dilations, pads=pads)
        self.convolutions[node.name] = self.nodes[-1]
        return result

    def max_pool(self, node, x):
        padded, pads = self.padded_image(node, x, -math.inf)
        kernel, strides = node.window("ksize"), node.window("strides")
        sides = [(side - taps) // stride + 1 for side, taps, stride in zip(padded, kernel, strides)]
        return self.emit("MaxPool", node.name, [x.name], (*x.shape[:2], *sides), NHWC, kernel_shape=kernel,
                         strides=strides, pads=pads)

    def add(self, node, a, b):
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            return a + b
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            require((a.shape, a.order) == (b.shape, b.order), f"adds {a.shape} and {b.shape}")
            return self.emit("Add", node.name, [a.name, b.name], a.shape, a.order)
        x, bias = (a, b) if isinstance(a, Tensor) else (b, a)
        require(x.name in self.convolutions and self.uses[x.name] == 1 and x.order == NHWC,
                "adds a constant to another tensor than that of one Conv2D")
        require(bias.shape == x.shape[1:2] and np.isfinite(bias).all(),
                f"has a bias of {bias.shape} for {x.shape[1]} channels, or one that is not finite")
        self.convolutions.pop(x.name).input.append(self.initializer(node.name + "/bias", bias.astype(np.float32)))
        return x

    def leaky_relu(self, node, x):
        alpha = float(node.attributes["alpha"]["f"])
        return self.emit("LeakyRelu", node.name, [x.name], x.shape, x.order, alpha=alpha)

    def sigmoid(self, node, x):
        return self.emit("Sigmoid", node.name, [x.name], x.shape, x.order)

    def concat(self, node, *inputs):
        *inputs, axis = inputs
        first, axis = inputs[0], inputs[0].order[int(constant_of(axis))]
        shapes = [list(x.shape) for x in inputs]
        total = sum(shape[axis] for shape in shapes)
        for shape in shapes:
            shape[axis] = total
        require(all(x.order == first.order for x in inputs) and shapes.count(shapes[0]) == len(shapes),
                f"joins {[x.shape for x in inputs]}")
        return self.emit("Concat", node.name, [x.name for x in inputs], shapes[0], first.order, axis=axis)

    def split(self, node, x, sizes, axis):
        sizes, axis = constant_of(sizes).tolist(), x.order[int(constant_of(axis))]
        require(min(sizes) > 0 and sum(sizes) == x.shape[axis], f"splits {x.shape[axis]} into {sizes}")
        names = [f"{node.name}:{i}" for i in range(len(sizes))]
        self.nodes.append(helper.make_node("Split", [x.name], names, name=node.name, axis=axis, split=sizes))
        return [Tensor(name, (*x.shape[:axis], size, *x.shape[axis + 1:]), x.order)
                for name, size in zip(names, sizes)]

    def resize(self, node, x, size):
        require(x.order == NHWC, "has an input that is not N x H x W x C")
        corners, half = node.flag("align_corners"), node.flag("half_pixel_centers")
        require(not (corners and half), "has both align_corners and half_pixel_centers")
        shape = (*x.shape[:2], *constant_of(size).tolist())
        require(len(shape) == 4, f"has the size {shape[2:]}")
        sizes = self.initializer(node.name + "/sizes", np.array(shape, np.int64))
        empty = self.initializer(node.name + "/no_scales", np.zeros(0, np.float32))
        mode = "align_corners" if corners else "half_pixel" if half else "asymmetric"
        return self.emit("Resize", node.name, [x.name, empty, empty, sizes], shape, NHWC, mode="linear",
                         coordinate_transformation_mode=mode)

    def reshape(self, node, x, shape):
        require(x.order == tuple(range(len(x.shape))), "has an input with its sides in another order")
        sides, count = constant_of(shape).tolist(), math.prod(x.shape)
        known = math.prod(side for side in sides if side != -1)
        require(known > 0 and sides.count(-1) <= 1, f"has the shape {sides}")
        result = [count // known if side == -1 else side for side in sides]
        require(math.prod(result) == count, f"makes {sides} from {x.shape}")
        target = self.initializer(node.name + "/shape", np.array(result, np.int64))
        return self.emit("Reshape", node.name, [x.name, target], result, tuple(range(len(result))))


OPERATORS = {
    "Add": Converter.add, "AddV2": Converter.add, "ConcatV2": Converter.concat, "Const": Converter.const,
    "Conv2D": Converter.convolution, "Identity": Converter.identity, "LeakyRelu": Converter.leaky_relu,
    "MaxPool": Converter.max_pool, "Pad": Converter.pad, "PadV2": Converter.pad,
    "Placeholder": Converter.placeholder, "Reshape": Converter.reshape, "ResizeBilinear": Converter.resize,
    "Sigmoid": Converter.sigmoid, "SparseToDense": Converter.sparse_to_dense, "SplitV": Converter.split,
    "Transpose": Converter.transpose,
}
TAKES_PADDING = {"Conv2D", "MaxPool", "Transpose", "Identity", "Pad", "PadV2"}
