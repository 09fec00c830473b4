#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the cases with which ONNX tests operators, as make_graphs.py writes random graphs.

`onnx_cases.py FOLDER`. In ONNX's cases each input is one of the graph; here integers, and operands that have to be
constants, are weights. Cases of another type or with integer results are left out.
"""

import pathlib
import sys

try:
    import onnx  # noqa: F401
except ImportError:
    print("needs package: python3-onnx")
    sys.exit(77)

import numpy

for alias in ("bool", "float", "int", "object"):  # ONNX 1.12 uses what NumPy 1.24 has not
    if alias not in vars(numpy):
        setattr(numpy, alias, getattr(__builtins__, alias))

from onnx import TensorProto, numpy_helper  # noqa: E402
from onnx.backend.test.case.node import collect_testcases  # noqa: E402

from graph_writer import save  # noqa: E402

# Inputs that a frame brings; the others are weights.
FIRST = (0,)
ALL = tuple(range(10))
OPERATORS = {
    "Add": ALL, "AveragePool": FIRST, "BatchNormalization": FIRST, "Clip": FIRST, "Concat": ALL, "Conv": FIRST,
    "Div": ALL, "Dropout": FIRST, "Exp": FIRST, "Expand": FIRST, "Flatten": FIRST, "Floor": (), "Gather": FIRST,
    "Gemm": ALL, "GlobalAveragePool": FIRST, "GlobalMaxPool": FIRST, "HardSigmoid": FIRST, "HardSwish": FIRST,
    "Identity": FIRST, "LeakyRelu": FIRST, "MatMul": ALL, "Max": ALL, "MaxPool": FIRST, "Min": ALL, "Mul": ALL,
    "PRelu": FIRST, "Pow": ALL, "Range": (), "ReduceMean": FIRST, "Relu": FIRST, "Reshape": FIRST, "Resize": FIRST,
    "Sigmoid": FIRST, "Slice": FIRST, "Softmax": FIRST, "Split": FIRST, "Sqrt": FIRST, "Squeeze": FIRST, "Sub": ALL,
    "Sum": ALL, "Tanh": FIRST, "Transpose": FIRST, "Unsqueeze": FIRST}


def convert(case):
    """Returns the model and the elements of inputs and outputs, or None."""
    model, (arrays, results) = case.model, case.data_sets[0]
    graph, operator = model.graph, model.graph.node[0].op_type
    if len(graph.node) != 1 or operator not in OPERATORS:
        return None
    for opset in model.opset_import:  # of operators that are older
        opset.version = max(opset.version, 9)
    if any(getattr(r, "dtype", None) not in (numpy.float32, numpy.float64) for r in results):
        return None
    model.ir_version = 8
    inputs, infos = [], []
    for place, (info, array) in enumerate(zip(list(graph.input), arrays)):
        if not isinstance(array, numpy.ndarray):
            array = numpy.asarray(array)
        if place in OPERATORS[operator] and array.dtype in (numpy.float32, numpy.float64):
            inputs.append(array)
            infos.append(info)
        else:
            graph.initializer.append(numpy_helper.from_array(array, info.name))
    if not inputs:  # a network has an input
        info = graph.input.add()
        info.name = "unused"
        info.type.tensor_type.elem_type = TensorProto.FLOAT
        info.type.tensor_type.shape.dim.add().dim_value = 1
        inputs, infos = [numpy.zeros([1])], [info]
    infos = [type(info).FromString(info.SerializeToString()) for info in infos]
    del graph.input[:]
    graph.input.extend(infos)
    return model, inputs, results


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    try:
        cases = collect_testcases("")
    except (AttributeError, ImportError) as error:  # a version of ONNX that does not fit NumPy's
        print(f"needs ONNX's own cases, which fail here: {error}")
        sys.exit(77)
    for case in cases:
        try:
            converted = convert(case)
        except TypeError:  # sequences and optional values
            continue
        if converted:
            save(str(folder / case.name), *converted)
            written += 1
    print(f"{written} cases")


if __name__ == "__main__":
    main(sys.argv[1])
