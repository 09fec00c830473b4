# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random nodes that move elements or multiply matrices, and chains of constants as exporters write them."""

import numpy

import numpy_operators as reference
from graph_writer import Unfit
from random_nodes import image


def integers(g, numbers):
    return g.constant(numpy.array(numbers, dtype=numpy.int64))


def axis_of(g, value):
    """An axis, and the number that the file has for it."""
    if value.ndim == 0:
        raise Unfit
    axis = g.random.randrange(value.ndim)
    return axis, g.random.choice([axis, axis - value.ndim])


def concat(g, x):
    value = g.values[x]
    axis, written = axis_of(g, value)
    same = [n for n, v in g.values.items() if v.ndim == value.ndim and v.dtype == numpy.float32 and
            all(a == b or side == axis for side, (a, b) in enumerate(zip(v.shape, value.shape)))]
    inputs = [x] + [g.random.choice(same) for _ in range(g.random.randint(0, 3))]
    g.random.shuffle(inputs)
    return g.one("Concat", inputs, numpy.concatenate([g.values[n] for n in inputs], axis), axis=written)


def split(g, x):
    value = g.values[x]
    axis, written = axis_of(g, value)
    parts = g.random.randint(1, 3)
    if value.shape[axis] < parts:
        raise Unfit
    cuts = sorted(g.random.sample(range(1, value.shape[axis]), parts - 1))
    sizes = [b - a for a, b in zip([0] + cuts, cuts + [value.shape[axis]])]
    results = numpy.split(value, cuts, axis)
    if len(set(sizes)) == 1 and g.random.random() < 0.5:
        return g.node("Split", [x], results, axis=written)[-1]
    if g.opset < 13:
        return g.node("Split", [x], results, axis=written, split=sizes)[-1]
    return g.node("Split", [x, integers(g, sizes)], results, axis=written)[0]


def slice_(g, x):
    value, r = g.values[x], g.random
    if value.ndim == 0:
        raise Unfit
    axes = r.sample(range(value.ndim), r.randint(1, value.ndim))
    places, starts, ends, steps = [slice(None)] * value.ndim, [], [], []
    for axis in axes:
        side = value.shape[axis]
        step = r.choice([1, 1, 2, 3, -1, -2]) if g.opset >= 10 else 1
        start, end = r.randint(-side, side - 1), r.choice([r.randint(-side, side), (1 << 63) - 1])
        if step < 0:
            end = r.choice([r.randint(-side, side - 1), -(1 << 63)])
        places[axis] = slice(start, end, step)
        starts, ends, steps = starts + [start], ends + [end], steps + [step]
    result = value[tuple(places)]
    axes = [r.choice([axis, axis - value.ndim]) for axis in axes] if g.opset >= 11 else axes
    if g.opset < 10:
        return g.one("Slice", [x], result, starts=starts, ends=ends, axes=axes)
    inputs = [x, integers(g, starts), integers(g, ends), integers(g, axes)]
    return g.one("Slice", inputs if set(steps) == {1} else inputs + [integers(g, steps)], result)


def gather(g, x):
    value = g.values[x]
    axis, written = axis_of(g, value)
    side = value.shape[axis]
    shape = g.random.choice([(), (1,), (2,), (3,), (2, 2)])
    indices = numpy.array([g.random.randint(-side, side - 1) for _ in range(int(numpy.prod(shape)))],
                          dtype=numpy.int64).reshape(shape)
    return g.one("Gather", [x, g.constant(indices)], numpy.take(value, indices, axis), axis=written)


def random_shape(g, size):
    """Sides whose product is `size`."""
    sides = []
    while size > 1 and len(sides) < 3:
        side = g.random.choice([n for n in range(1, size + 1) if size % n == 0])
        sides, size = sides + [side], size // side
    return sides + [size]


def reshape(g, x):
    value = g.values[x]
    shape = written = random_shape(g, value.size)
    if g.random.random() < 0.5:
        side = g.random.randrange(len(shape))
        written = shape[:side] + [-1] + shape[side + 1:]
    elif value.ndim == 4:
        shape, written = [value.shape[0], value.size // value.shape[0]], [0, -1]
    return g.one("Reshape", [x, integers(g, written)], value.reshape(shape))


def exported_reshape(g, x):
    """As PyTorch exports x.view(x.size(0), -1): sizes are computed from the shape."""
    value = g.values[x]
    if value.ndim == 0:
        raise Unfit
    shape = numpy.array(value.shape, dtype=numpy.int64)
    sides = g.one("Shape", [x], shape)
    side = g.one("Gather", [sides, integers(g, 0)], shape[0], axis=0)
    if g.opset < 13:
        side = g.one("Unsqueeze", [side], shape[:1], axes=[0])
    else:
        side = g.one("Unsqueeze", [side, integers(g, [0])], shape[:1])
    target = g.one("Concat", [side, integers(g, [-1])], numpy.array([shape[0], -1]), axis=0)
    return g.one("Reshape", [x, target], value.reshape(shape[0], -1))


def flatten(g, x):
    value = g.values[x]
    axis = g.random.randint(0, value.ndim)
    result = value.reshape(int(numpy.prod(value.shape[:axis])), -1)
    return g.one("Flatten", [x], result, axis=axis if g.opset < 11 or axis == value.ndim else axis - value.ndim)


def squeeze(g, x):
    value = g.values[x]
    ones = [axis for axis, side in enumerate(value.shape) if side == 1]
    if not ones:
        raise Unfit
    axes = g.random.sample(ones, g.random.randint(1, len(ones)))
    if g.random.random() < 0.3:
        return g.one("Squeeze", [x], value.squeeze())
    result = value.squeeze(tuple(axes))
    if g.opset < 13:
        return g.one("Squeeze", [x], result, axes=axes)
    return g.one("Squeeze", [x, integers(g, axes)], result)


def unsqueeze(g, x):
    value = g.values[x]
    axes = g.random.sample(range(value.ndim + 1), 1)
    if g.opset < 13:
        return g.one("Unsqueeze", [x], numpy.expand_dims(value, tuple(axes)), axes=axes)
    return g.one("Unsqueeze", [x, integers(g, axes)], numpy.expand_dims(value, tuple(axes)))


def transpose(g, x):
    value = g.values[x]
    order = g.random.sample(range(value.ndim), value.ndim)
    if g.random.random() < 0.2:
        return g.one("Transpose", [x], value.transpose())
    return g.one("Transpose", [x], value.transpose(order), perm=order)


def nothing(g, x):
    kind = g.random.choice(["Identity", "Dropout", "Cast"])
    return g.one(kind, [x], g.values[x], to=1 if kind == "Cast" else None)


def resize(g, x):
    value, r = image(g, x), g.random
    mode = r.choice(["nearest", "linear"])
    scales = [r.choice([1.0, 2.0, 3.0, 0.5, 1.5]) for _ in range(2)]
    sides = [int(value.shape[a + 2] * scales[a]) for a in range(2)]
    if g.opset < 11:
        if min(scales) < 1 < max(scales):
            raise Unfit
        place, nearest = "asymmetric", "floor" if min(scales) >= 1 else "ceil"
    else:
        place = r.choice(["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"])
        nearest = r.choice(sorted(reference.ROUNDS))
        if r.random() < 0.5:
            sides = [r.randint(1, 12) for _ in range(2)]
            scales = [numpy.float32(sides[a]) / numpy.float32(value.shape[a + 2]) for a in range(2)]
    result = value.astype(numpy.float64)
    for axis in range(2):
        if not sides[axis]:
            raise Unfit
        result = reference.resize_axis(result, axis + 2, scales[axis], sides[axis], mode, place, nearest)
    scale = numpy.array([1, 1] + scales, dtype=numpy.float32)
    if g.opset < 11:
        constant = g.constant(scale)
        return g.one("Upsample" if g.opset < 10 else "Resize", [x, constant], result, mode=mode)
    attributes = {"mode": mode, "coordinate_transformation_mode": place}
    if mode == "nearest":
        attributes["nearest_mode"] = nearest
    empty = g.constant(numpy.zeros([0], dtype=numpy.float32)) if g.opset < 13 else ""
    if sides == [int(value.shape[a + 2] * scales[a]) for a in range(2)] and all(float(s * 2).is_integer() for s in scales):
        return g.one("Resize", [x, empty, g.constant(scale)], result, **attributes)
    return g.one("Resize", [x, empty, empty, integers(g, list(value.shape[:2]) + sides)], result, **attributes)


def softmax(g, x):
    value = g.values[x].astype(numpy.float64)
    axis, written = axis_of(g, value)
    if g.opset < 13:
        return g.one("Softmax", [x], reference.flattened_softmax(value, axis), axis=written if g.opset >= 11 else axis)
    return g.one("Softmax", [x], reference.softmax(value, axis), axis=written)


def gemm(g, x):
    value, r = g.values[x].astype(numpy.float64), g.random
    if value.ndim != 2:
        raise Unfit
    transposes, columns = [r.randint(0, 1) for _ in range(2)], r.randint(1, 5)
    a = value.T if transposes[0] else value
    weights = g.constant(g.noise([columns, a.shape[1]] if transposes[1] else [a.shape[1], columns]))
    alpha, beta = r.choice([(None, None), (0.5, 2.0)])
    result = a @ (g.values[weights].T if transposes[1] else g.values[weights]) * (alpha or 1)
    inputs = [x, weights]
    if r.random() < 0.7 or g.opset < 11:
        inputs.append(g.constant(g.noise(r.choice([[columns], [1, columns], [a.shape[0], 1], []]))))
        result = result + g.values[inputs[2]] * (beta or 1)
    return g.one("Gemm", inputs, result, alpha=alpha, beta=beta, transA=transposes[0], transB=transposes[1])


def matmul(g, x):
    value, r = g.values[x].astype(numpy.float64), g.random
    if value.ndim == 0:
        raise Unfit
    columns = r.randint(1, 4)
    shape = r.choice([[value.shape[-1]], [value.shape[-1], columns], list(value.shape[:-2]) + [value.shape[-1], columns]])
    if value.ndim < 2:
        shape = shape[-2:] if len(shape) > 1 else shape
    other = g.constant(g.noise(shape))
    return g.one("MatMul", [x, other], value @ g.values[other])


def expand(g, x):
    value = g.values[x]
    shape = [side if side > 1 or g.random.random() < 0.5 else 3 for side in value.shape]
    return g.one("Expand", [x, integers(g, shape)], numpy.broadcast_to(value, shape))


def constants(g, x):
    """A sum with a grid that is computed of constants alone."""
    value = g.values[x]
    if value.ndim == 0 or g.opset < 11:
        raise Unfit
    side = value.shape[-1]
    count = numpy.arange(side, dtype=numpy.int64)
    grid = g.one("Range", [integers(g, 0), integers(g, side), integers(g, 1)], count)
    grid = g.one("Mul", [grid, integers(g, 3)], count * 3)
    grid = g.one("Cast", [grid], (count * 3).astype(numpy.float32), to=1)
    number = g.constant(numpy.float32(0.5))
    halves = count * 1.5
    grid = g.one("Floor", [g.one("Mul", [grid, number], halves)], numpy.floor(halves))
    shape = integers(g, [1] * (value.ndim - 1) + [side])
    result = numpy.floor(halves).reshape([1] * (value.ndim - 1) + [side])
    grid = g.one("Reshape", [grid, shape], result)
    zeros = g.one("ConstantOfShape", [integers(g, [1])], numpy.zeros([1]))
    grid = g.one("Add", [grid, zeros], result)
    return g.one("Add", [x, grid], value + result)




ALL = [concat, concat, split, slice_, gather, reshape, exported_reshape, flatten, squeeze, unsqueeze, transpose, nothing,
       resize, resize, softmax, gemm, matmul, expand, constants]
