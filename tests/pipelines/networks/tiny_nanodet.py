# SPDX-License-Identifier: LGPL-2.1-or-later
"""A package with a tiny network of NanoDet's operators and outputs, and what the network computes, by NumPy alone."""
import base64
import json

import numpy as np

ROWS, COLUMNS = 64, 128
CLASSES, DISTANCES = 80, 44
TO_NHWC, TO_NCHW = [0, 2, 3, 1], [0, 3, 1, 2]


def windows(image, kernel, stride):
    """Of an image N x H x W x C the windows N x rows x columns x C x kernel."""
    view = np.lib.stride_tricks.sliding_window_view(image, kernel, axis=(1, 2))
    return view[:, ::stride, ::stride]


def sampled(image, rows, columns):
    """Linear interpolation of an image H x W x C at positions, which are moved into the image."""
    for axis, positions in ((0, rows), (1, columns)):
        last = image.shape[axis] - 1
        positions = np.clip(positions, 0, last)
        low = np.floor(positions).astype(int)
        part = (positions - low).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        image = image.take(low, axis) * (1 - part) + image.take(np.minimum(low + 1, last), axis) * part
    return image


def positions_of(size, count, corners, half):
    """Positions of `count` samples among `size`, as TensorFlow's two flags say."""
    i = np.arange(count)
    if corners:
        return i * (size - 1) / max(count - 1, 1)
    return (i + 0.5) * size / count - 0.5 if half else i * size / count


class Tiny:
    """Each method appends a node and computes it: it takes and returns (name, array)."""

    def __init__(self, corners=False, half=True):
        self.random = np.random.default_rng(1)
        self.nodes, self.weights, self.bytes, self.outputs = [], [], b"", {}
        self.flags = {"align_corners": {"b": corners}, "half_pixel_centers": {"b": half}}
        self.image = self.random.normal(size=(1, 3, ROWS, COLUMNS)).astype(np.float32)
        sides = {"dim": [{"size": str(side)} for side in self.image.shape]}
        self.build(self.node("input_1", "Placeholder", [], self.image, {"shape": {"shape": sides}}))

    def node(self, name, op, inputs, array, attributes=None):
        self.nodes.append({"name": name, "op": op, "input": [one[0] for one in inputs], "attr": attributes or {}})
        return name, array

    def constant(self, array, kind="int32"):
        name = f"constant_{len(self.weights)}"
        weight = {"name": name, "shape": list(np.shape(array)), "dtype": kind}
        array = np.asarray(array, kind)
        if kind == "float32":
            weight["quantization"] = {"dtype": "float16", "original_dtype": "float32"}
            array = array.astype(np.float16)
        self.weights.append(weight)
        self.bytes += array.tobytes()
        return self.node(name, "Const", [], array.astype(kind))

    def transpose(self, x, order):
        name = f"transpose_{len(self.nodes)}"
        return self.node(name, "Transpose", [x, self.constant(order)], x[1].transpose(order))

    def pad(self, x, value=None):
        """Two rows behind an image N x C x H x W, and a column on both sides."""
        paddings = [[0, 0], [0, 0], [0, 2], [1, 1]]
        inputs = [x, self.constant(paddings)] + ([] if value is None else [self.constant(value, "float32")])
        name = f"pad_{len(self.nodes)}"
        return self.node(name, "Pad" if value is None else "PadV2", inputs,
                         np.pad(x[1], paddings, constant_values=value or 0))

    @staticmethod
    def window(stride, **more):
        texts = {"padding": b"VALID", "data_format": b"NHWC"}
        return {key: {"s": base64.b64encode(text).decode()} for key, text in texts.items()} | {
            key: {"list": {"i": ["1", str(n), str(n), "1"]}} for key, n in {"strides": stride, **more}.items()}

    def convolution(self, x, channels, taps, stride):
        """With a bias; of an image N x C x H x W."""
        x = self.transpose(self.pad(x) if taps > 1 else x, TO_NHWC)
        kernel = self.constant(self.random.normal(size=(taps, taps, x[1].shape[3], channels)) / taps, "float32")
        bias = self.constant(self.random.normal(size=channels), "float32")
        result = np.einsum("nyxcij,ijcm->nyxm", windows(x[1], (taps, taps), stride), kernel[1])
        name = f"convolution_{len(self.nodes)}"
        y = self.node(name, "Conv2D", [x, kernel], result, self.window(stride, dilations=1))
        return self.transpose(self.node(name + "_add", "Add", [y, bias], y[1] + bias[1]), TO_NCHW)

    def leaky(self, x):
        name = f"leaky_{len(self.nodes)}"
        return self.node(name, "LeakyRelu", [x], np.where(x[1] < 0, x[1] * 0.1, x[1]), {"alpha": {"f": 0.1}})

    def max_pool(self, x):
        x = self.transpose(self.transpose(self.pad(x, -np.inf), [0, 1, 3, 2]), [0, 3, 2, 1])  # N x H x W x C
        return self.transpose(self.node("pool", "MaxPool", [x], windows(x[1], (3, 3), 2).max((4, 5)),
                                        self.window(2, ksize=3)), TO_NCHW)

    def resize_and_add(self, x, other):
        """x in the size of `other`, and the sum."""
        x, size = self.transpose(x, TO_NHWC), other[1].shape[2:]
        rows, columns = (positions_of(x[1].shape[1 + axis], size[axis], self.flags["align_corners"]["b"],
                                      self.flags["half_pixel_centers"]["b"]) for axis in (0, 1))
        y = self.node(f"resize_{len(self.nodes)}", "ResizeBilinear", [x, self.constant(size)],
                      sampled(x[1][0], rows, columns)[None], self.flags)
        y = self.transpose(y, TO_NCHW)
        return self.node(f"sum_{len(self.nodes)}", "Add", [other, y], other[1] + y[1])

    def concat(self, a, b):
        name = f"concat_{len(self.nodes)}"
        return self.node(name, "ConcatV2", [a, b, self.constant(1)], np.concatenate([a[1], b[1]], 1))

    def head(self, x, grid):
        x = self.convolution(x, CLASSES + DISTANCES, 1, 1)
        name, parts = f"split_{grid}", np.split(x[1], [CLASSES], 1)
        self.node(name, "SplitV", [x, self.constant([CLASSES, DISTANCES]), self.constant(1)], None)
        scores = self.node(f"sigmoid_{grid}", "Sigmoid", [(name, None)], 1 / (1 + np.exp(-parts[0])))
        for output, (part, rows) in ((grid, (scores, CLASSES)), (grid + 3, ((name + ":1", parts[1]), DISTANCES))):
            zeros = [self.constant(np.zeros((0, 1))), self.constant([3]), self.constant(np.zeros(0)), self.constant(0)]
            zeros = self.node(f"zeros_{output}", "SparseToDense", zeros, None)
            shape = self.node(f"shape_{output}", "AddV2", [self.constant([1, rows, -1]), zeros], None)
            y = self.node(f"reshape_{output}", "Reshape", [part, shape], part[1].reshape(1, rows, -1))
            y = self.transpose(y, [0, 2, 1])
            name_out = "Identity" + (f"_{output}" if output else "")
            self.outputs[name_out] = self.node(name_out, "Identity", [y], y[1])[1]

    def build(self, x):
        x = self.max_pool(self.leaky(self.convolution(x, 4, 3, 2)))
        fine = self.leaky(self.convolution(x, 6, 3, 2))
        fine = self.concat(fine, self.leaky(self.convolution(fine, 2, 3, 1)))
        middle = self.leaky(self.convolution(fine, 8, 3, 2))
        coarse = self.leaky(self.convolution(middle, 8, 3, 2))
        middle = self.resize_and_add(coarse, middle)
        fine = self.resize_and_add(middle, fine)
        coarse = self.resize_and_add(fine, coarse)
        for grid, image in enumerate((fine, middle, coarse)):
            self.head(image, grid)

    def expected(self):
        """As Tandem has it: of each place, finest grid first, the probabilities and then the distances."""
        names = ["Identity"] + [f"Identity_{i}" for i in range(1, 6)]
        columns = [self.outputs[name].transpose(0, 2, 1) for name in names]
        return np.concatenate([np.concatenate(columns[:3], 2), np.concatenate(columns[3:], 2)], 1)

    def model(self):
        outputs = {f"{name}:0": {"name": f"{name}:0", "tensorShape": {"dim": [{"size": str(n)} for n in array.shape]}}
                   for name, array in reversed(self.outputs.items())}
        return {"format": "graph-model", "signature": {"outputs": outputs},
                "modelTopology": {"node": list(reversed(self.nodes))},
                "weightsManifest": [{"paths": ["nanodet.bin"], "weights": self.weights}]}

    def write(self, folder, model=None, weights=None):
        (folder / "models").mkdir(parents=True, exist_ok=True)
        text = model if isinstance(model, str) else json.dumps(model or self.model())
        (folder / "models/nanodet.json").write_text(text, encoding="utf-8")
        (folder / "models/nanodet.bin").write_bytes(self.bytes if weights is None else weights)
