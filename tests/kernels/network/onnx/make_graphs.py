#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes random ONNX graphs of all supported operators, with inputs and the results that NumPy computes.

`make_graphs.py FOLDER FIRST COUNT` makes the graphs FIRST to FIRST + COUNT - 1. Each is the same on every machine.
Without the Python package onnx the exit status is 77: skipped.
"""

import collections
import pathlib
import random
import sys

try:
    import onnx  # noqa: F401
except ImportError:
    print("needs package: python3-onnx")
    sys.exit(77)

import numpy

import random_layouts
import random_nodes
from graph_writer import Graph, Unfit

OPSETS = range(9, 18)
KINDS = random_nodes.ALL + random_layouts.ALL
MOST_DRAWS = 60  # of nodes that may not fit


def make(seed):
    """Returns a graph and the names of its outputs."""
    r = random.Random(seed)
    g = Graph(r, r.choice(OPSETS))
    last = g.input([1, r.randint(1, 8), r.randint(1, 12), r.randint(1, 12)])
    inputs = {last}
    if r.random() < 0.2:
        inputs.add(g.input(list(g.values[last].shape)))
    wanted = 1 if seed % 3 == 0 else r.randint(2, 12)
    written, draws = [], 0
    while len(written) < wanted and draws < MOST_DRAWS:
        draws += 1
        before = g.state()
        # The first draws of each graph go through all kinds.
        kind = KINDS[(seed + draws) % len(KINDS)] if not written else r.choice(KINDS)
        start = last if r.random() < 0.8 or not written else r.choice(sorted(inputs) + written)
        try:
            last = kind(g, start)
            written.append(last)
        except (Unfit, ValueError):
            g.restore(before)
    if not written:
        return make(seed + 1000003)
    floats = {name for node in g.nodes for name in node.output if g.values[name].dtype == numpy.float32 and
              node.op_type != "Constant"}
    outputs = [last] + [n for n in sorted(floats) if n != last and (n not in g.used or r.random() < 0.05)]
    return g, outputs


def main(arguments):
    folder, first, count = pathlib.Path(arguments[0]), int(arguments[1]), int(arguments[2])
    folder.mkdir(parents=True, exist_ok=True)
    numpy.seterr(all="ignore")
    kinds = collections.Counter()
    for seed in range(first, first + count):
        g, outputs = make(seed)
        g.save(str(folder / f"graph{seed:04}"), outputs)
        kinds.update(node.op_type for node in g.nodes)
    print(f"{count} graphs, {sum(kinds.values())} nodes of {len(kinds)} operators: "
          + ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())))


if __name__ == "__main__":
    main(sys.argv[1:])
