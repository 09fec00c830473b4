# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the blocks of a page of docs/ in a folder that has the demo's video, or what stands in for it."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from page import blocks, make_clip

PATIENCE_SECONDS = 100
WEBCAM_FRAMES = 69
# What stands in for a webcam: a live source that shows two figures. Frames get the size and the rate that
# caps behind it ask for.
WEBCAM = (f"filesrc location=.cache/demo/vtest.avi ! avidemux ! jpegdec ! imagefreeze is-live=true "
          f"num-buffers={WEBCAM_FRAMES} ! videoscale ! videoconvert")


def kill_all(process):
    """A process and those that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # they have ended


class PageCommands(unittest.TestCase):
    """A test of one page. After the tests, test_suite() checks that they named every block of it."""
    page = ""

    @classmethod
    def setUpClass(cls):
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        cls.folder = pathlib.Path(kept.name)
        cls.video = cls.folder / ".cache/demo/vtest.avi"
        make_clip(cls.video)
        cls.named_blocks = set()

    def adapt(self, text):
        """A block as the test runs it: with what stands in for cameras; free ports are up to the page's test."""
        text = text.replace("v4l2src device=/dev/video0 ! image/jpeg", WEBCAM + " ! jpegenc ! image/jpeg")
        return text.replace("v4l2src device=/dev/video0", WEBCAM)

    def block(self, heading, language="sh", number=0):
        text = [text for h, l, text in blocks(self.page) if (h, l) == (heading, language)][number]
        self.named_blocks.add(text)
        return self.adapt(text)

    def start(self, heading, language="sh", number=0):
        return self.start_text(self.block(heading, language, number), language)

    def start_text(self, text, language="sh", **environment):
        # A block of one command becomes the process, so that signals reach it.
        shell = "exec " + text if text.startswith("gst-launch-1.0") else text
        program = ["bash", "-c", shell] if language == "sh" else [sys.executable, "-uc", text]
        return self.start_program(program, **environment)

    def start_program(self, words, **environment):
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, env=os.environ | environment, start_new_session=True)
        # Whoever waits for a line of it waits no longer.
        patience = threading.Timer(PATIENCE_SECONDS, kill_all, (process,))
        patience.start()
        self.addCleanup(patience.cancel)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(kill_all, process)
        return process

    def finish(self, process):
        """What a process printed that ends by itself, and well."""
        output = process.communicate(timeout=PATIENCE_SECONDS)[0]
        self.assertEqual(process.returncode, 0, output)
        return output

    def interrupt(self, process):
        """Ctrl-C."""
        process.send_signal(signal.SIGINT)
        return self.finish(process)

    def run_block(self, *block):
        return self.finish(self.start(*block))

    def run_text(self, text):
        return self.finish(self.start_text(text))

    def wait_for(self, condition, process):
        end = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            self.assertIsNone(process.poll(), "ended before its time")
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.02)

    def wait_for_line(self, text, process):
        """Reads what a process prints up to a line with that text."""
        read = []
        while not read or text not in read[-1]:
            read.append(process.stdout.readline())
            self.assertTrue(read[-1], f"no '{text}' in {read}")

    def lines(self, name):
        """The lines of a file of JSON, which has none that is not whole."""
        text = (self.folder / name).read_text(encoding="utf-8")
        self.assertTrue(text.endswith("\n"), f"{name} ends with {text[-80:]}")
        return [json.loads(line) for line in text.splitlines()]

    def count_lines(self, name, having=""):
        """How many whole lines with that text a file has by now; the last one may not be whole yet."""
        path = self.folder / name
        whole = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        return sum(having in line for line in whole)


def test_suite(loader, case):
    """The tests of a page, and then whether they named all that can be run."""

    class EveryBlock(unittest.TestCase):
        def test_is_run(self):
            left = [block for block in blocks(case.page)
                    if block[1] in ("sh", "python", "json") and block[2] not in case.named_blocks]
            self.assertEqual(left, [])

    return unittest.TestSuite(loader.loadTestsFromTestCase(c) for c in (case, EveryBlock))
