# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the commands of docs/start.md, except for those that install: tools/package_test runs these on bare
Debians, and then this.

usage: start_test.py [FOLDER_OF_TANDEM]      without a folder, what is installed"""
import os
import re
import shutil
import sys
import unittest

from page import FRAMES, python_with_gstreamer
from page_commands import WEBCAM_FRAMES, PageCommands, test_suite

PERSON = re.compile(r"frame (\d+): person (0\.\d\d|1\.00) at (\d+),(\d+), (\d+)x(\d+) pixels")


class Start(PageCommands):
    page = "docs/start.md"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shutil.copy(cls.video, cls.folder / "clip.mp4")

    def adapt(self, text):
        return super().adapt(text).replace("--input camera", "--input clip.mp4")

    def test_install(self):
        install = self.block("Install")
        self.assertTrue(install.startswith("./dev package\n"))
        self.assertIn("\ntandem doctor\n", install)
        self.run_text("tandem doctor")

    def test_clip(self):
        self.run_block("A clip")
        lines = self.lines("people.jsonl")
        self.assertEqual([len(line["detections"]) for line in lines], [2] * FRAMES)
        self.assertGreater((self.folder / "people.mp4").stat().st_size, 1000)

    def test_webcam(self):
        self.run_block("A webcam")
        self.assertEqual(self.count_lines("people.jsonl"), FRAMES)
        self.assertGreater((self.folder / "people.mkv").stat().st_size, 1000)

    def expect_people(self, output, frames):
        """Two figures in each frame, which begin at x 80 and 220 and lie at y 40 to 190."""
        found = {}
        for line in output.splitlines():
            number, _, x, y, w, h = PERSON.fullmatch(line).groups()
            found.setdefault(int(number), []).append((int(x) + int(w) / 2, int(y) + int(h) / 2))
        self.assertLessEqual(len(found), frames)
        for boxes in found.values():
            self.assertEqual(len(boxes), 2)
            for (x, y), expected in zip(sorted(boxes), (80, 220)):
                self.assertLess(abs(x - expected), 12 + FRAMES)
                self.assertLess(abs(y - 115), 15)
        return len(found)

    def test_program(self):
        python = python_with_gstreamer()
        program, commands = self.block("Your program", "python"), self.block("Your program")
        if not python:
            self.skipTest("needs python3-gi and gir1.2-gst-plugins-base-1.0")
        (self.folder / "people.py").write_text(program, encoding="utf-8")
        clip, webcam = commands.replace("python3", python).splitlines()
        self.assertEqual(self.expect_people(self.run_text(clip), FRAMES), FRAMES)
        self.assertGreater(self.expect_people(self.run_text(webcam), WEBCAM_FRAMES), 0)
        nowhere = self.start_text(clip.replace("clip.mp4", "nowhere.mp4"))
        self.assertIn("Resource not found", nowhere.communicate()[0])
        self.assertEqual(nowhere.returncode, 1)


def load_tests(loader, _tests, _pattern):
    return test_suite(loader, Start)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]):
        os.environ["PATH"] = f"{sys.argv.pop(1)}:{os.environ['PATH']}"
    unittest.main(verbosity=2)
