#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows what .ci/run counts, and that tools/check_demo finds what a demo lacks. Programs that take long are
stand-ins."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Folder(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.root = pathlib.Path(kept.name)

    def write(self, name, text, mode=0o644):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)

    def program(self, name, text):
        self.write(name, f"#!/bin/sh\n{text}\n", 0o755)


class Run(Folder):
    """A tree with .ci/run, whose ./dev leaves logs of one test for each run."""

    def setUp(self):
        super().setUp()
        for name in (".ci/run", "tools/count_tests.py"):
            (self.root / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        test = json.dumps({"name": "blur", "result": "OK", "returncode": 0})
        self.program("dev", f"""echo "dev $*"
            [ "$1" = test ] || exit 0
            for folder in build build-asan build-tsan; do
              mkdir -p $folder/meson-logs
              echo '{test}' >$folder/meson-logs/testlog.json
              echo '{test}' >$folder/meson-logs/testlog-more.json
            done""")

    def expect(self, status, count):
        run = subprocess.run([self.root / ".ci/run"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        self.assertEqual((run.returncode, run.stdout.splitlines()[-1]), (status, count), run.stdout)
        return run.stdout

    def test_demos_count(self):
        self.program("tools/fresh_machine", 'echo "machine $1"')
        output = self.expect(0, "6 passed, 0 failed")
        self.assertLess(output.index("dev setup fresh-machine"), output.index("machine bookworm"))
        self.assertLess(output.index("machine trixie"), output.index("dev test"))

    def test_a_demo_that_fails(self):
        self.program("tools/fresh_machine", '[ "$1" = bookworm ]')
        output = self.expect(1, "5 passed, 1 failed")
        self.assertIn("FAILED machines: demo on a bare trixie", output.splitlines()[-2])

    def test_no_machine(self):
        self.program("tools/fresh_machine", '[ "$1" = trixie ] || exit 77')
        output = self.expect(0, "5 passed, 0 failed, 1 skipped")
        self.assertIn("1 x root, mounts and a mirror: no bare machine could be made", output)

    def test_tests_that_did_not_run(self):
        self.write("build/meson-logs/testlog.json", "{}\n")
        self.program("tools/fresh_machine", ":")
        self.program("dev", "exit 1")
        self.expect(1, "2 passed, 4 failed")


class CheckDemo(Folder):
    def setUp(self):
        super().setUp()
        self.program("bin/gst-launch-1.0", "yes '/fakesink0: last-message = chain   ***' | head -n 3; echo done")
        self.write("people.mp4", "video")
        self.write("people.jsonl", "{}\n" * 3)
        for part in (1, 2, 3):
            self.write(f"part{part}-600x416-frame0019.png", "")

    def expect(self, status, message):
        run = subprocess.run([ROOT / "tools/check_demo", self.root], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, env={"PATH": f"{self.root}/bin:{os.environ['PATH']}"}, check=False)
        self.assertEqual(run.returncode, status, run.stdout)
        self.assertIn(message, run.stdout)

    def test_whole(self):
        self.expect(0, "3 frames, a line for each")

    def test_empty(self):
        self.write("people.mp4", "")
        self.expect(1, "people.mp4 is missing or empty")

    def test_a_line_too_few(self):
        self.write("people.jsonl", "{}\n" * 2)
        self.expect(1, "people.mp4 has 3 frames, people.jsonl 2 lines")

    def test_no_frames(self):
        self.program("bin/gst-launch-1.0", "echo ERROR; exit 1")
        self.expect(1, "people.mp4 has 0 frames, people.jsonl 3 lines")

    def test_no_picture(self):
        (self.root / "part2-600x416-frame0019.png").unlink()
        self.expect(1, "no picture of part2")


if __name__ == "__main__":
    unittest.main()
