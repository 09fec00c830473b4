# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands of a page of docs/, and a short video with people to run them on."""
import itertools
import os
import pathlib
import re
import shutil
import socket
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
FRAMES = 10
SCREENS = itertools.count(1000 + os.getpid() * 8 % 50000)  # numbers for X servers of this process


def blocks(page):
    """The fenced blocks of a page: (heading, language, text)."""
    heading, found = "", []
    text = (ROOT / page).read_text(encoding="utf-8")
    for match in re.finditer(r"^#+ ([^\n]*)$|^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if match[1]:
            heading = match[1]
        else:
            found.append((heading, match[2], match[3]))
    return found


def figure(x, y):
    """Whether a point belongs to a standing person 150 pixels high; the head's top is at (0, 0)."""
    v, u = x / 150, y / 150
    if u < 0.14:
        return (u - 0.075) ** 2 + v**2 < 0.065**2
    if u < 0.2:
        return abs(v) < 0.03 + (u - 0.13) * 1.2
    if u < 0.5:
        return abs(v) < 0.115
    return u < 1 and 0.012 + (u - 0.5) * 0.05 < abs(v) < 0.095 + (u - 0.5) * 0.06


def make_clip(path):
    """Writes FRAMES frames of 320x240 with two dark figures that move, which the detector takes for
    people, as AVI."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    for y in range(240):
        ground = 170 - y // 4
        rows.append(bytes(40 if figure(x - 80, y - 40) or figure(x - 220, y - 40) else ground
                          for x in range(320)))
    frames = b"".join(row[-n:] + row[:-n] for n in range(1, FRAMES + 1) for row in rows)
    raw = path.with_suffix(".gray")
    raw.write_bytes(frames)
    subprocess.run(
        ["gst-launch-1.0", "-q", "filesrc", f"location={raw}", "!", "rawvideoparse", "width=320",
         "height=240", "format=gray8", "framerate=25/1", "!", "videoconvert", "!", "jpegenc", "!",
         "avimux", "!", "filesink", f"location={path}"],
        check=True, timeout=60,
        # Ours has no part in it, and may be one with sanitizers, which gst-launch-1.0 cannot load.
        env={name: value for name, value in os.environ.items() if name != "GST_PLUGIN_PATH"})
    raw.unlink()


def screen_command():
    """Starts an X server, which prints its number when it is ready. A server that looks for a free number takes no
    lock, and another one that starts at the same time may get the same."""
    # Without -noreset it starts anew when its only client leaves, as sinks do that autovideosink only tries.
    return ["Xvfb", f":{next(SCREENS)}", "-noreset", "-displayfd", "1", "-screen", "0", "640x480x24"]


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def python_with_gstreamer(library="GstVideo"):
    """A Python that has the bindings of GStreamer and of a library of it, or None. Debian's belong to
    Debian's Python, which need not be the first in the path."""
    for name in ("python3", "/usr/bin/python3"):
        python = shutil.which(name)
        check = f"import gi; gi.require_version('Gst', '1.0'); gi.require_version('{library}', '1.0')"
        if python and subprocess.run([python, "-c", check], stderr=subprocess.DEVNULL,
                                     check=False).returncode == 0:
            return python
    return None
