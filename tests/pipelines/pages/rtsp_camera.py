# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera to test on: an RTSP server on the loopback that shows the first picture of a video as H.264, 30
frames a second, fewer on a busy machine. Prints "ready" when it listens. SENT gets the time of each frame in ns.

usage: rtsp_camera.py PORT VIDEO SENT"""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

MEDIA = """( filesrc location={} ! avidemux ! jpegdec ! imagefreeze is-live=true
  ! video/x-raw,framerate=30/1 ! videoconvert ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30
  ! rtph264pay name=pay0 pt=96 )"""


def note_times(_camera, media, sent):
    def note(_pad, info):
        sent.write(f"{info.get_buffer().pts}\n")
        return Gst.PadProbeReturn.OK
    payloader = media.get_element().get_by_name("pay0")
    payloader.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, note)


def main():
    port, video, sent = sys.argv[1:]
    Gst.init(None)
    camera = GstRtspServer.RTSPMediaFactory()
    camera.set_launch(MEDIA.format(video))
    camera.set_shared(True)
    camera.connect("media-configure", note_times, open(sent, "a", encoding="ascii", buffering=1))
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(port)
    server.get_mount_points().add_factory("/stream", camera)
    if not server.attach(None):
        sys.exit(f"rtsp_camera.py: cannot listen on port {port}")
    print("ready", flush=True)
    GLib.MainLoop().run()


main()
