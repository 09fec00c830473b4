# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every command of docs/json-lines.md, on a video of its own and with ports that are free, and
compares the fields that the page lists with those of the lines.

usage: json_lines_test.py FOLDER_OF_TANDEM"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

from page import FRAMES, ROOT, free_port
from page_commands import PageCommands, test_suite


class JsonLines(PageCommands):
    page = "docs/json-lines.md"

    def setUp(self):
        self.port = free_port()

    def adapt(self, text):
        return re.sub(r"\b500[01]\b", str(self.port), text)

    def read(self, process, lines):
        return [process.stdout.readline().rstrip("\n") for _ in range(lines)]

    def expect_told(self, told, at_least=FRAMES):
        """What a reader of the page prints for each frame."""
        self.assertIn(len(told), range(at_least, FRAMES + 1), told)
        for number, line in enumerate(told):
            self.assertRegex(line, rf"^\S+Z gate {number} [1-9]\d* detections$")

    def test_file(self):
        self.run_block("Into a file")
        lines = self.lines("people.jsonl")
        self.assertEqual([line["frame"] for line in lines], list(range(FRAMES)))
        self.assertEqual({line["source"] for line in lines}, {"gate"})
        self.assertTrue(all(line["detections"] for line in lines))
        output = self.run_block("Into a file", "python")
        detections = sum(len(line["detections"]) for line in lines)
        self.assertEqual(output, f"{FRAMES} frames, {detections} detections\n")

    def test_command(self):
        self.run_block("Into a file", "sh", 1)
        lines = self.lines("people.jsonl")
        self.assertEqual([line["frame"] for line in lines], list(range(FRAMES)))
        self.assertEqual(lines[0].keys(), self.sample().keys())

    def test_tcp(self):
        # The video comes through a pipe, so that no frame is over before the reader is there, nor the
        # stream before it has read all.
        content = self.video.read_bytes()
        self.video.unlink()
        os.mkfifo(self.video)
        self.addCleanup(self.video.write_bytes, content)
        self.addCleanup(self.video.unlink)
        # Open in both directions: filesrc opens it, closes it and opens it again, and meanwhile there
        # would be nobody to read.
        with open(os.open(self.video, os.O_RDWR), "wb", buffering=0) as pipe:
            server = self.start("Over TCP", "sh")
            self.wait_for_port(server)
            reader = self.start("Over TCP", "python")
            self.wait_for_connection(reader)
            pipe.write(content)  # less than a pipe holds
            told = self.read(reader, FRAMES - 1)  # the demuxer keeps the last frame until the end
        self.finish(server)
        told += self.finish(reader).splitlines()
        # A sink that stops may still have the last line.
        self.expect_told(told, at_least=FRAMES - 1)

    def test_udp(self):
        reader = self.start("Over UDP", "python")
        self.wait_for(lambda: self.socket_in("udp", "07"), reader)
        self.finish(self.start("Over UDP", "sh"))
        self.expect_told(self.read(reader, FRAMES))

    def test_c(self):
        if not shutil.which("cc") or not shutil.which("pkg-config"):
            self.skipTest("needs a C compiler and pkg-config")
        flags = subprocess.run(["pkg-config", "--cflags", "gstreamer-video-1.0"], check=False, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True).stdout.split()
        if not flags:
            self.skipTest("needs libgstreamer-plugins-base1.0-dev")
        subprocess.run(["cc", "-Wall", "-Werror", "-fsyntax-only", "-xc", *flags, "-"], check=True, text=True,
                       input=self.block("In a program of yours", "c"))

    def socket_in(self, protocol, state):
        """Whether the kernel knows a socket of the port in a state, such as 0A, which is listening; a pattern, which
        may go on behind the state."""
        sockets = pathlib.Path("/proc/net", protocol).read_text(encoding="ascii")
        return re.search(rf"^ *\d+: 0100007F:{self.port:04X} \S+ {state} ", sockets, re.MULTILINE)

    def wait_for_port(self, server):
        self.wait_for(lambda: self.socket_in("tcp", "0A"), server)

    def wait_for_connection(self, reader):
        # Its socket has an inode once the sink's thread has it from the kernel ...
        self.wait_for(lambda: self.socket_in("tcp", r"01 \S+ \S+ \S+ +\d+ +\d+ [1-9]\d*"), reader)
        time.sleep(0.5)  # ... and enters it into its list

    def sample(self):
        return json.loads(self.block("Fields", "json"))

    def test_fields(self):
        self.run_block("Into a file")
        sample, line = self.sample(), self.lines("people.jsonl")[0]
        self.assertEqual(list(sample), list(line))
        self.assertEqual(list(sample["detections"][0]), list(line["detections"][0]))
        page = (ROOT / self.page).read_text(encoding="utf-8")
        tables = page.split("| field | type |")[1:]
        for table, fields in zip(tables, (sample, sample["detections"][0], sample["motion"][0]),
                                 strict=True):
            rows = [row for row in table.split("\n\n")[0].splitlines() if row.startswith("| `")]
            listed = [field for row in rows for field in re.findall(r"`(\w+)`", row.split("|")[1])]
            self.assertEqual(listed, list(fields))


def load_tests(loader, _tests, _pattern):
    return test_suite(loader, JsonLines)


if __name__ == "__main__":
    os.environ["PATH"] = f"{sys.argv.pop(1)}:{os.environ['PATH']}"
    unittest.main()
