# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random nodes of each supported operator. Each function adds to a graph `g` what it makes of a value `x`."""

import numpy

import numpy_operators as reference
from graph_writer import Unfit


def image(g, x):
    value = g.values[x]
    if value.ndim != 4 or value.shape[0] != 1:
        raise Unfit
    return value


def window(g, value, largest=4):
    """Returns kernel, strides and padding, and the attributes that say so."""
    r = g.random
    kernel = [r.randint(1, largest) for _ in range(2)]
    strides = [r.randint(1, 3) for _ in range(2)]
    auto_pad = r.choice(["NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"])
    own = [(r.randint(0, k - 1), r.randint(0, k - 1)) for k in kernel]
    attributes = {"kernel_shape": kernel, "strides": strides}
    if auto_pad == "NOTSET":
        attributes["pads"] = [own[0][0], own[1][0], own[0][1], own[1][1]]
    else:
        attributes["auto_pad"] = auto_pad

    def pads(dilations):
        return [reference.padding(value.shape[a + 2], kernel[a], strides[a], dilations[a], own[a], auto_pad)
                for a in range(2)]
    return kernel, strides, pads, attributes


def conv(g, x):
    value, r = image(g, x), g.random
    channels = value.shape[1]
    group = r.choice([n for n in range(1, channels + 1) if channels % n == 0])
    outputs = group * r.randint(1, 4)
    kernel, strides, pads, attributes = window(g, value)
    dilations = r.choice([[1, 1], [1, 1], [2, 1], [2, 3]])
    weights = g.constant(g.noise([outputs, channels // group] + kernel))
    bias = g.constant(g.noise([outputs])) if r.random() < 0.7 else None
    if r.random() < 0.3:
        del attributes["kernel_shape"]
    result = reference.conv(value, g.values[weights], g.values[bias] if bias else None, strides, dilations,
                            pads(dilations), group)
    return g.one("Conv", [x, weights] + ([bias] if bias else []), result, dilations=dilations, group=group,
                 **attributes)


def normalised_conv(g, x):
    return batch_normalization(g, conv(g, x))


def residual_block(g, x):
    """A convolution that keeps the shape, and the sum with its input."""
    value = image(g, x)
    weights = g.constant(g.noise([value.shape[1], value.shape[1], 3, 3]) * 0.3)
    pads = [(1, 1), (1, 1)]
    y = g.one("Conv", [x, weights], reference.conv(value, g.values[weights], None, (1, 1), (1, 1), pads, 1),
              pads=[1, 1, 1, 1])
    if g.random.random() < 0.5:
        y = batch_normalization(g, y)
    if g.random.random() < 0.3:
        y = activation(g, y)
    pair = [x, y] if g.random.random() < 0.5 else [y, x]
    return g.one("Add", pair, value + g.values[y])


def batch_normalization(g, x):
    value = g.values[x]
    if value.ndim < 2:
        raise Unfit
    channels = value.shape[1]
    inputs = [g.constant(g.noise([channels], low, high)) for low, high in ((-1, 1), (-1, 1), (-1, 1), (0.1, 2))]
    epsilon = g.random.choice([1e-5, 1e-3])
    result = reference.batch_normalization(value, *[g.values[n] for n in inputs], epsilon)
    return g.one("BatchNormalization", [x] + inputs, result, epsilon=epsilon)


def scale_of_channels(g, x):
    """A sum or a product with one constant a channel, often after a convolution."""
    value = image(g, x)
    shape = g.random.choice([[value.shape[1], 1, 1], [1, value.shape[1], 1, 1], [1], [], [value.shape[2], 1]])
    return arithmetic_with(g, x, g.constant(g.noise(shape, 0.3, 1.5)))


def arithmetic_with(g, a, b):
    kind = g.random.choice(["Add", "Mul", "Sub", "Div", "Max", "Min"])
    if g.random.random() < 0.3:
        a, b = b, a
    of = {"Add": numpy.add, "Mul": numpy.multiply, "Sub": numpy.subtract, "Div": numpy.divide, "Max": numpy.maximum,
          "Min": numpy.minimum}[kind]
    if kind == "Div" and abs(g.values[b]).min() < 0.1:
        raise Unfit
    return g.one(kind, [a, b], of(g.values[a].astype(numpy.float64), g.values[b]))


def arithmetic(g, x):
    """With another value that broadcasts, or a constant."""
    value = g.values[x]
    others = [n for n, v in g.values.items() if v.dtype == numpy.float32 and broadcasts(v.shape, value.shape)]
    if g.random.random() < 0.5 and others:
        return arithmetic_with(g, x, g.random.choice(others))
    shape = [side if g.random.random() < 0.6 else 1 for side in value.shape]
    return arithmetic_with(g, x, g.constant(g.noise(shape[g.random.randint(0, len(shape)):], 0.2, 2)))


def broadcasts(a, b):
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b)))


def sums(g, x):
    shape = g.values[x].shape
    same = [n for n, v in g.values.items() if v.shape == shape and v.dtype == numpy.float32]
    inputs = [g.random.choice(same) for _ in range(g.random.randint(1, 4))]
    return g.one("Sum", inputs, sum(g.values[n].astype(numpy.float64) for n in inputs))


def power(g, x):
    exponent = g.random.choice([1.0, 2.0, 3.0, -1.0])
    if exponent < 0 and abs(g.values[x]).min() < 0.1:
        raise Unfit
    integer = g.opset >= 12 and g.random.random() < 0.5
    constant = g.constant(numpy.array(exponent, dtype=numpy.int64 if integer else numpy.float32))
    return g.one("Pow", [x, constant], g.values[x].astype(numpy.float64) ** exponent)


def sigmoid(value):
    return 1 / (1 + numpy.exp(-value.astype(numpy.float64)))


def silu(g, x):
    y = g.one("Sigmoid", [x], sigmoid(g.values[x]))
    return g.one("Mul", [x, y] if g.random.random() < 0.5 else [y, x], g.values[x] * sigmoid(g.values[x]))


def hard_swish(g, x):
    """Of two nodes; opset 14 has it as one, too."""
    value = g.values[x].astype(numpy.float64)
    part = numpy.clip(value / 6 + 0.5, 0, 1)
    if g.opset >= 14 and g.random.random() < 0.5:
        return g.one("HardSwish", [x], value * part)
    return g.one("Mul", [x, g.one("HardSigmoid", [x], part, alpha=1 / 6, beta=0.5)], value * part)


def clip(g, x):
    low, high = sorted(g.noise([2]).tolist())
    low, high = g.random.choice([(low, high), (low, None), (None, high), (0.0, 6.0)])
    result = numpy.clip(g.values[x], -numpy.inf if low is None else numpy.float32(low), high)
    if g.opset < 11:
        return g.one("Clip", [x], result, min=low, max=high)
    inputs = [x, "" if low is None else exact(g, low), "" if high is None else exact(g, high)]
    return g.one("Clip", inputs[:2] if high is None else inputs, result)


def exact(g, number):
    """A constant that is not rounded to half precision."""
    name = g.constant(numpy.float32(number))
    if g.values[name] != numpy.float32(number):
        raise Unfit
    return name


def activation(g, x):
    value, r = g.values[x].astype(numpy.float64), g.random
    kind = r.choice(["Relu", "LeakyRelu", "Sigmoid", "HardSigmoid", "Tanh", "Exp", "Sqrt", "PRelu", "Clip"])
    if kind == "Clip":
        return clip(g, x)
    if kind == "Relu":
        return g.one(kind, [x], numpy.maximum(value, 0))
    if kind == "LeakyRelu":
        alpha = r.choice([None, 0.1, 0.3])
        return g.one(kind, [x], numpy.where(value < 0, value * (0.01 if alpha is None else alpha), value), alpha=alpha)
    if kind == "PRelu":
        slope = g.constant(g.noise([1]))
        return g.one(kind, [x, slope], numpy.where(value < 0, value * g.values[slope][0], value))
    if kind == "HardSigmoid":
        alpha, beta = r.choice([(None, None), (0.3, 0.4)])
        return g.one(kind, [x], numpy.clip(value * (alpha or 0.2) + (beta or 0.5), 0, 1), alpha=alpha, beta=beta)
    if kind == "Sqrt" and value.min() < 0:
        raise Unfit
    return g.one(kind, [x], {"Sigmoid": sigmoid, "Tanh": numpy.tanh, "Exp": numpy.exp, "Sqrt": numpy.sqrt}[kind](value))


def max_pool(g, x):
    value = image(g, x)
    kernel, strides, pads, attributes = window(g, value)
    dilations = [g.random.randint(1, 2) for _ in range(2)] if g.opset >= 10 else [1, 1]
    ceil_mode = g.random.random() < 0.4 and g.opset >= 10 and "auto_pad" not in attributes
    result = reference.max_pool(value, kernel, strides, dilations, pads(dilations), ceil_mode)
    return g.one("MaxPool", [x], result, dilations=dilations if g.opset >= 10 else None,
                 ceil_mode=int(ceil_mode) if g.opset >= 10 else None, **attributes)


def average_pool(g, x):
    value = image(g, x)
    kernel, strides, pads, attributes = window(g, value)
    ceil_mode = g.random.random() < 0.4 and g.opset >= 10 and "auto_pad" not in attributes
    counts_padding = g.random.random() < 0.5
    result = reference.average_pool(value, kernel, strides, pads((1, 1)), ceil_mode, counts_padding)
    return g.one("AveragePool", [x], result, count_include_pad=int(counts_padding),
                 ceil_mode=int(ceil_mode) if g.opset >= 10 else None, **attributes)


def global_pool(g, x):
    value = image(g, x).astype(numpy.float64)
    kind = g.random.choice(["GlobalAveragePool", "GlobalMaxPool", "ReduceMean"])
    if kind == "GlobalMaxPool":
        return g.one(kind, [x], value.max(axis=(2, 3), keepdims=True))
    if kind == "GlobalAveragePool":
        return g.one(kind, [x], value.mean(axis=(2, 3), keepdims=True))
    keeps = g.random.random() < 0.5
    return g.one(kind, [x], value.mean(axis=(2, 3), keepdims=keeps), axes=g.random.choice([[2, 3], [-1, -2]]),
                 keepdims=int(keeps))


ALL = [conv, conv, normalised_conv, residual_block, batch_normalization, scale_of_channels, arithmetic, arithmetic, sums,
       power, silu, hard_swish, activation, activation, max_pool, average_pool, global_pool]
