# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the example that reads tensors and motion vectors as NumPy arrays: the stage of ABI's fixture on
the CPU, on the device and inside the bin, where half of a gradient is bright, a tensor of halves, and
tracking, by the command of docs/library.md. usage: read_tensors_test.py PROGRAM"""
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "pages"))
from page import ROOT, blocks, python_with_gstreamer

SKIPPED = 77
GRADIENT = "videotestsrc pattern=gradient num-buffers=4 ! video/x-raw,format=GRAY8,width=64,height=48"
MARKED = "bright-pixels uint8 (48, 64), mean 0.604167"


def read(python, line):
    result = subprocess.run([python, sys.argv[1], f"{line} ! appsink name=sink"], capture_output=True, text=True,
                            timeout=100, check=False)
    assert result.returncode == 0 and not result.stderr, result
    return result.stdout.splitlines()


def tracked(python):
    """By the page's command, whose Python may be another one here."""
    command = [text for heading, language, text in blocks("docs/library.md")
               if (heading, language) == ("Reading tensors and motion vectors", "sh")]
    assert len(command) == 1 and command[0].startswith("python3 "), command
    result = subprocess.run(["bash", "-c", python + command[0].removeprefix("python3")], capture_output=True,
                            text=True, timeout=100, check=False, cwd=ROOT)
    assert result.returncode == 0 and not result.stderr, result
    return result.stdout.splitlines()


def main():
    python = python_with_gstreamer()
    check = "import gi, numpy; gi.require_version('GstTandem', '1.0'); from gi.repository import GstTandem"
    if not python or subprocess.run([python, "-c", check], check=False).returncode != 0:
        print("needs python3-gi, python3-numpy and gir1.2-gst-plugins-base-1.0")
        return SKIPPED
    for stage in ("brightpixels limit=100 device=cpu", "brightpixels limit=100 opencl-device=any",
                  "tandembin.( opencl-device=any mapping=g keep-tensors=true brightpixels limit=100 )"):
        assert read(python, f"{GRADIENT} ! {stage}") == [f"frame {i}: {MARKED}" for i in range(4)], stage
    scene = "videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=32,height=32 ! scenefeatures device=cpu"
    assert read(python, scene) == ["frame 0: scene-space float16 (56320,)"]
    lines = tracked(python)
    assert "frame 0: klt-vectors float32 (400, 5), mean 0" in lines, lines
    moved = [re.fullmatch(r"frame (\d): (\d+) vectors, ([\d.]+) pixels", line) for line in lines]
    moved = [match for match in moved if match]
    assert [match[1] for match in moved] == ["1", "2", "3"], lines
    assert all(int(match[2]) > 0 and 1 < float(match[3]) < 20 for match in moved), lines
    return 0


sys.exit(main())
