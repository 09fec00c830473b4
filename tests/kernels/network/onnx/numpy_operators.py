# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operators of ONNX in NumPy, written from the specification: what other implementations are compared with."""

import math

import numpy


def padding(size, kernel, stride, dilation, pads, auto_pad):
    """Returns the padding (before, after) of one axis."""
    if auto_pad == "VALID":
        return 0, 0
    if auto_pad == "NOTSET":
        return pads
    total = max(0, (math.ceil(size / stride) - 1) * stride + (kernel - 1) * dilation + 1 - size)
    return (total // 2, total - total // 2) if auto_pad == "SAME_UPPER" else (total - total // 2, total // 2)


def windows(x, kernel, strides, dilations, pads, fill, ceil_mode=False):
    """Returns C x taps x H x W: each tap of the window over the padded image 1 x C x H x W."""
    sizes = []
    for axis in range(2):
        room = x.shape[axis + 2] + sum(pads[axis]) - (kernel[axis] - 1) * dilations[axis] - 1
        if room < 0:
            raise ValueError("the window is larger than the image")
        size = (math.ceil if ceil_mode else math.floor)(room / strides[axis]) + 1
        if ceil_mode and (size - 1) * strides[axis] >= x.shape[axis + 2] + pads[axis][0]:
            size -= 1
        sizes.append(size)
    more = [strides[axis] + kernel[axis] * dilations[axis] for axis in range(2)]
    padded = numpy.pad(x[0].astype(numpy.float64), [(0, 0)] + [(pads[a][0], pads[a][1] + more[a]) for a in range(2)],
                       constant_values=fill)
    taps = []
    for y in range(kernel[0]):
        for z in range(kernel[1]):
            rows = y * dilations[0] + strides[0] * numpy.arange(sizes[0])
            columns = z * dilations[1] + strides[1] * numpy.arange(sizes[1])
            taps.append(padded[:, rows][:, :, columns])
    return numpy.stack(taps, axis=1)


def conv(x, weights, bias, strides, dilations, pads, group):
    taps = windows(x, weights.shape[2:], strides, dilations, pads, 0)
    taps = taps.reshape(group, -1, *taps.shape[1:])
    kernel = weights.astype(numpy.float64).reshape(group, weights.shape[0] // group, weights.shape[1], -1)
    result = numpy.einsum("gcthw,gmct->gmhw", taps, kernel).reshape(1, weights.shape[0], *taps.shape[3:])
    return result if bias is None else result + bias.reshape(1, -1, 1, 1)


def max_pool(x, kernel, strides, dilations, pads, ceil_mode):
    return windows(x, kernel, strides, dilations, pads, -numpy.inf, ceil_mode).max(axis=1)[None]


def average_pool(x, kernel, strides, pads, ceil_mode, counts_padding):
    sums = windows(x, kernel, strides, (1, 1), pads, 0, ceil_mode).sum(axis=1)
    ones = numpy.ones((1, 1) + x.shape[2:])
    if counts_padding:
        ones, pads = numpy.pad(ones, [(0, 0), (0, 0)] + list(pads), constant_values=1), [(0, 0), (0, 0)]
    counts = windows(ones, kernel, strides, (1, 1), pads, 0, ceil_mode)
    return (sums / counts.sum(axis=1)[:, :sums.shape[1], :sums.shape[2]])[None]


def batch_normalization(x, scale, shift, mean, variance, epsilon):
    sides = [1, -1] + [1] * (x.ndim - 2)
    scale, shift, mean, variance = (v.astype(numpy.float64).reshape(sides) for v in (scale, shift, mean, variance))
    return (x - mean) / numpy.sqrt(variance + epsilon) * scale + shift


def positions(place, scale, size, result, kind):
    """Returns where the samples of the result lie among `size` samples."""
    i = numpy.arange(result).astype(kind)
    scale = kind(scale)
    if place == "asymmetric":
        return i / scale
    if place == "align_corners":
        return i * kind(size - 1) / kind(result - 1) if result > 1 else i * 0
    if place == "pytorch_half_pixel" and result == 1:
        return i * 0
    return (i + kind(0.5)) / scale - kind(0.5)


ROUNDS = {
    "floor": numpy.floor,
    "ceil": numpy.ceil,
    "round_prefer_floor": lambda x: numpy.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: numpy.floor(x + 0.5)}


def resize_axis(x, axis, scale, result, mode, place, nearest):
    """Resamples one axis. Raises ValueError where rounding decides which sample is the nearest."""
    size = x.shape[axis]
    at = positions(place, scale, size, result, numpy.float64)
    if mode == "nearest":
        chosen = ROUNDS[nearest](at)
        if (chosen != ROUNDS[nearest](positions(place, scale, size, result, numpy.float32))).any():
            raise ValueError("a position is between two samples")
        return numpy.take(x, numpy.clip(chosen, 0, size - 1).astype(int), axis)
    at = numpy.clip(at, 0, size - 1)
    low = numpy.floor(at).astype(int)
    high = numpy.minimum(low + 1, size - 1)
    sides = [1] * x.ndim
    sides[axis] = -1
    part = (at - low).reshape(sides)
    return numpy.take(x, low, axis) * (1 - part) + numpy.take(x, high, axis) * part


def softmax(x, axis):
    powers = numpy.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def flattened_softmax(x, axis):
    """Softmax up to opset 12."""
    rows = int(numpy.prod(x.shape[:axis]))
    return softmax(x.reshape(rows, -1), 1).reshape(x.shape)
