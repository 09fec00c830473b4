# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera to test on: an RTSP server on the loopback that shows the first picture of a video as H.264, 30
frames a second. Prints "ready" when it listens.

usage: rtsp_camera.py PORT VIDEO [FRAMES]      without a number of frames it never ends"""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

MEDIA = """( filesrc location={} ! avidemux ! jpegdec ! imagefreeze is-live=true num-buffers={}
  ! video/x-raw,framerate=30/1 ! videoconvert ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30
  ! rtph264pay name=pay0 pt=96 )"""


def main():
    port, video = sys.argv[1:3]
    frames = sys.argv[3] if len(sys.argv) > 3 else -1
    Gst.init(None)
    camera = GstRtspServer.RTSPMediaFactory()
    camera.set_launch(MEDIA.format(video, frames))
    camera.set_shared(True)
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(port)
    server.get_mount_points().add_factory("/stream", camera)
    if not server.attach(None):
        sys.exit(f"rtsp_camera.py: cannot listen on port {port}")
    print("ready", flush=True)
    GLib.MainLoop().run()


main()
