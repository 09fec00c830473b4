#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the tensors and the motion vectors of each frame as NumPy arrays.
usage: read_tensors.py "LAUNCH LINE ! appsink name=sink" """
import sys

import gi
import numpy

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstTandem", "1.0")
from gi.repository import Gst, GstApp, GstTandem  # noqa: E402

TYPES = {GstTandem.ElementType.UINT8: numpy.uint8, GstTandem.ElementType.INT32: numpy.int32,
         GstTandem.ElementType.FLOAT32: numpy.float32, GstTandem.ElementType.FLOAT16: numpy.float16}
VECTOR = numpy.dtype([("x", "f4"), ("y", "f4"), ("dx", "f4"), ("dy", "f4"), ("id", "u4"), ("age", "u4")])


def tensors_of(buffer):
    """The tensors on a frame, by name."""
    found = {}
    for name in GstTandem.buffer_get_tandem_tensor_names(buffer):
        tensor = GstTandem.buffer_get_tandem_tensor_meta(buffer, name)
        elements = numpy.frombuffer(tensor.get_bytes().get_data(), TYPES[tensor.element_type])
        found[name] = elements.reshape(tensor.get_shape())
    return found


def vectors_of(buffer):
    """How the features of a frame have moved."""
    motion = GstTandem.buffer_get_tandem_motion_meta(buffer)
    return numpy.frombuffer(motion.get_bytes().get_data() if motion else b"", VECTOR)


def main():
    Gst.init(None)
    pipeline = Gst.parse_launch(sys.argv[1])
    sink = pipeline.get_by_name("sink")
    sink.set_property("sync", False)
    pipeline.set_state(Gst.State.PLAYING)
    number = 0
    while sample := sink.try_pull_sample(10 * Gst.SECOND):
        buffer = sample.get_buffer()
        for name, tensor in tensors_of(buffer).items():
            # The levels of a pyramid lie one behind the other, with bytes between them that mean nothing.
            mean = f", mean {tensor.mean():.6g}" if tensor.ndim > 1 else ""
            print(f"frame {number}: {name} {tensor.dtype} {tensor.shape}{mean}")
        vectors = vectors_of(buffer)
        if len(vectors):
            print(f"frame {number}: {len(vectors)} vectors, {numpy.hypot(vectors['dx'], vectors['dy']).mean():.2f} pixels")
        number += 1
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    return message.parse_error()[0].message if message else None


if __name__ == "__main__":
    sys.exit(main())
