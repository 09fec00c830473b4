#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A program of yours with tandembin inside, through GObject introspection: made from a launch line
or piece by piece, given an objective, asked to tell what it decides, and given another objective
while it plays.

usage: embed.py [launch|add] [VIDEO]      without a video: a test pattern that ends by itself

Needs the Debian packages python3-gi and gir1.2-gstreamer-1.0.
"""
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

STAGES = "vividfilter scales=1 ! vividhistogram ! vividclassifier"


def make(factory):
    element = Gst.ElementFactory.make(factory)
    if element is None:
        raise RuntimeError(f"GStreamer has no element {factory}")
    return element


def from_launch_line(source):
    """One way: everything in a launch line."""
    return Gst.parse_launch(f"{source} ! tandembin.( name=tandem {STAGES} ) ! fakesink sync=false")


def piece_by_piece(source):
    """The other: stages are added to the bin, which links them in the order in which they came."""
    stages = [make(name) for name in ("vividfilter", "vividhistogram", "vividclassifier")]
    stages[0].set_property("scales", 1)
    tandem = make("tandembin")
    tandem.set_name("tandem")
    for stage in stages:
        tandem.add(stage)
    pipeline = Gst.Pipeline.new()
    chain = [Gst.parse_bin_from_description(source, True), tandem, make("fakesink")]
    for element in chain:
        pipeline.add(element)
    for first, second in zip(chain, chain[1:]):
        if not first.link(second):
            raise RuntimeError(f"{first.get_name()} does not fit {second.get_name()}")
    return pipeline


class Player:
    def __init__(self, pipeline):
        self.pipeline = pipeline
        self.tandem = pipeline.get_by_name("tandem")
        self.loop = GLib.MainLoop()
        self.error = None
        self.objective_changed = False

    def on_message(self, _bus, message):
        structure = message.get_structure()
        if message.type == Gst.MessageType.ELEMENT and structure.has_name("tandem-decision"):
            self.on_decision(structure)
        elif message.type == Gst.MessageType.WARNING:
            print("warning:", message.parse_warning()[0].message)
        elif message.type == Gst.MessageType.ERROR:
            self.error = message.parse_error()[0].message
            self.loop.quit()
        elif message.type == Gst.MessageType.EOS:
            self.loop.quit()

    def on_decision(self, decision):
        expected = decision.get_double("predicted-fps")
        print(f"{decision.get_string('reason')}: {decision.get_string('old')} -> "
              f"{decision.get_string('new')}, {expected.value:.1f} frames/s expected")
        if not self.objective_changed:
            # Whatever it optimised, from now on it may take as little energy as 25 frames/s allow.
            # Without an energy source it says so and goes on with the most throughput.
            self.tandem.set_property("target-fps", 25.0)
            self.objective_changed = True

    def play(self):
        self.tandem.set_property("metric", "throughput")
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)
        self.pipeline.set_state(Gst.State.PLAYING)
        self.loop.run()
        print("ran as", self.tandem.get_property("configuration"), "at the end")
        self.pipeline.set_state(Gst.State.NULL)
        bus.remove_signal_watch()
        if self.error:
            raise RuntimeError(self.error)


def main():
    Gst.init(None)
    way = sys.argv[1] if len(sys.argv) > 1 else "launch"
    source = ("videotestsrc pattern=ball num-buffers=3000 ! "
              "capsfilter caps=video/x-raw,width=320,height=240")
    if len(sys.argv) > 2:
        source = f'filesrc location="{sys.argv[2]}" ! decodebin ! videoconvert'
    try:
        Player(piece_by_piece(source) if way == "add" else from_launch_line(source)).play()
    except (GLib.Error, RuntimeError) as error:
        sys.exit(f"embed.py: {error}")


if __name__ == "__main__":
    main()
