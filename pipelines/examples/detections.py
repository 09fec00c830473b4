#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A program of yours that gets each frame of a video and what was found in it: pixels from one
appsink, and from another the line of JSON that tandemmeta2json makes of the same frame.

usage: detections.py VIDEO

Needs the Debian packages python3-gi, gir1.2-gstreamer-1.0 and gir1.2-gst-plugins-base-1.0.
"""
import json
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")  # without it an appsink has no pull_sample
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstApp, GstVideo  # noqa: E402,F401

# Both sinks hold a few frames, then the stream waits for this program.
PIPELINE = """
    filesrc name=video ! decodebin ! videoconvert ! video/x-raw,format=I420
    ! tandembin.( vividfilter ! vividhistogram ! vividclassifier ) ! tee name=both
    both. ! queue ! appsink name=frames sync=false max-buffers=8
    both. ! queue ! tandemmeta2json ! appsink name=lines sync=false max-buffers=8
"""


def mean_luma(sample, box):
    """The mean of the first plane of I420 in a box, 0 to 255."""
    caps, buffer = sample.get_caps(), sample.get_buffer()
    size = caps.get_structure(0)
    left, right = (min(x, size.get_value("width")) for x in (box["x"], box["x"] + box["w"]))
    top, bottom = (min(y, size.get_value("height")) for y in (box["y"], box["y"] + box["h"]))
    # Where the rows are: decoders may say it with each frame.
    layout = GstVideo.buffer_get_video_meta(buffer) or GstVideo.VideoInfo.new_from_caps(caps)
    stride = layout.stride[0]
    data = buffer.extract_dup(layout.offset[0] + top * stride, (bottom - top) * stride)
    values = [value for y in range(bottom - top)
              for value in data[y * stride + left:y * stride + right]]
    return sum(values) / max(1, len(values))


def text_of(sample):
    buffer = sample.get_buffer()
    return buffer.extract_dup(0, buffer.get_size()).decode()


def play(pipeline):
    frames, lines = pipeline.get_by_name("frames"), pipeline.get_by_name("lines")
    # Both get all frames in order. None: the stream has ended, or broken.
    while (frame := frames.pull_sample()) and (line := lines.pull_sample()):
        told = json.loads(text_of(line))
        for found in told["detections"]:
            print(f"frame {told['frame']}: {found['label']} {found['confidence']:.2f} at "
                  f"{found['x']},{found['y']}, {found['w']}x{found['h']} pixels, "
                  f"luma {mean_luma(frame, found):.0f}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: detections.py VIDEO")
    Gst.init(None)
    try:
        pipeline = Gst.parse_launch(PIPELINE)
    except GLib.Error as error:
        sys.exit(f"detections.py: {error.message}")
    pipeline.get_by_name("video").set_property("location", sys.argv[1])
    if pipeline.set_state(Gst.State.PLAYING) != Gst.StateChangeReturn.FAILURE:
        play(pipeline)
    error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if error:
        sys.exit(f"detections.py: {error.parse_error()[0].message}")


if __name__ == "__main__":
    main()
