# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs an example that reads detections on a video with two figures: it must tell of both in each
frame, and say why when there is no video. usage: detections_test.py PROGRAM [ARGUMENT...]"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parents[1] / "pages"))
from page import FRAMES, make_clip, python_with_gstreamer

SKIPPED = 77
# What every example prints of a detection.
BOX = re.compile(r"^(?:(?P<seconds>[\d.]+) s|frame (?P<frame>\d+)): (?P<label>\w+)? ?(?P<confidence>[\d.]+)? ?"
                 r"at (?P<x>\d+),(?P<y>\d+), (?P<w>\d+)x(?P<h>\d+) pixels(?P<more>.*)$")


def run(program, video):
    return subprocess.run([*program, str(video)], capture_output=True, text=True, timeout=100,
                          check=False)


def frame_of(box):
    return int(box["frame"]) if box["frame"] else round(float(box["seconds"]) * 25)


def check_box(box):
    """The figures begin at x 80 and 220, lie at y 40 to 190, and move by a pixel a frame."""
    number = frame_of(box)
    middle = int(box["x"]) + int(box["w"]) / 2 - (number + 1)
    assert min(abs(middle - 80), abs(middle - 220)) < 12, box[0]
    assert abs(int(box["y"]) + int(box["h"]) / 2 - 115) < 15, box[0]
    assert box["label"] in (None, "person"), box[0]
    assert box["confidence"] is None or 0.5 <= float(box["confidence"]) <= 1, box[0]
    for value in re.findall(r"\d+", box["more"]):  # a mean of dark figures before a lighter ground
        assert 40 < int(value) < 150, box[0]
    return number


def main():
    program = sys.argv[1:]
    if program[0].endswith(".py"):
        python = python_with_gstreamer()
        if not python:
            print("needs python3-gi and gir1.2-gst-plugins-base-1.0")
            return SKIPPED
        program = [python, *program]
    with tempfile.TemporaryDirectory() as folder:
        video = pathlib.Path(folder, "figures.avi")
        make_clip(video)
        result = run(program, video)
        print(result.stdout, result.stderr)
        assert result.returncode == 0 and not result.stderr, f"ended with {result.returncode}"
        numbers = [check_box(BOX.match(line)) for line in result.stdout.splitlines()]
        assert sorted(set(numbers)) == list(range(FRAMES)), numbers
        assert numbers == sorted(numbers) and len(numbers) >= 1.5 * FRAMES, numbers
        nothing = run(program, pathlib.Path(folder, "nowhere.avi"))
        assert nothing.returncode == 1 and not nothing.stdout, nothing
        assert "Resource not found" in nothing.stderr and "CRITICAL" not in nothing.stderr, nothing
    return 0


sys.exit(main())
