# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the commands of docs/live.md that need no camera: a receiver and a sender of RTP over the
loopback, on a port that is free.

usage: live_test.py"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from page import blocks, free_port

PAGE = "docs/live.md"
PATIENCE_SECONDS = 60
LINES = 20


class Live(unittest.TestCase):
    def start(self, command):
        process = subprocess.Popen(["bash", "-c", "exec " + command], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_rtp(self):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            port = str(free_port(socket.SOCK_DGRAM))
            receiver, sender = [text.replace("5004", port) for heading, _, text in blocks(PAGE)
                                if heading == "RTP over UDP"]
            receiving, sending = self.start(receiver), self.start(sender)
            kept = self.folder / "gate.jsonl"
            end = time.monotonic() + PATIENCE_SECONDS
            while time.monotonic() < end and receiving.poll() is None:
                if kept.exists() and kept.read_bytes().count(b"\n") >= LINES:
                    break
                time.sleep(0.1)
            receiving.send_signal(signal.SIGINT)
            output = receiving.communicate(timeout=PATIENCE_SECONDS)[0]
            sending.send_signal(signal.SIGINT)
            sending.communicate(timeout=PATIENCE_SECONDS)
            self.assertEqual(receiving.returncode, 0, output)
            lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
            self.assertGreaterEqual(len(lines), LINES, output)
            times = [line["pts_ns"] for line in lines]
            self.assertEqual(times, sorted(times))
            self.assertEqual([line["frame"] for line in lines], list(range(len(lines))))
            self.assertEqual({line["source"] for line in lines}, {"gate"})

    def test_every_command_is_known(self):
        headings = [heading for heading, language, _ in blocks(PAGE) if language == "sh"]
        self.assertEqual(headings, ["Answers in time", "A camera", "RTP over UDP", "RTP over UDP"])


if __name__ == "__main__":
    os.environ.setdefault("GST_DEBUG_NO_COLOR", "1")
    unittest.main()
