# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every command of docs/recipes.md. Stand-ins take the places of the webcam, the RTSP camera and the
desktop; what they need and is not installed leaves a test out.

usage: recipes_test.py [TEST...]"""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import unittest
import urllib.request

from page import free_port, python_with_gstreamer, screen_command
from page_commands import WEBCAM_FRAMES, PageCommands, kill_all, test_suite

CAMERA = pathlib.Path(__file__).with_name("rtsp_camera.py")
LINES = 12


def gaps(times):
    """In frames of the camera; receivers smooth times by some milliseconds."""
    return [round(30 * (b - a) / 1e9) for a, b in zip(times, times[1:])]


def has_element(name):
    return subprocess.run(["gst-inspect-1.0", "--exists", name], check=False).returncode == 0


class Recipes(PageCommands):
    page = "docs/recipes.md"

    def setUp(self):
        self.port = str(free_port())
        self.sent = self.folder / "sent"
        for path in [self.sent, *self.folder.glob("*.jsonl")]:
            path.unlink(missing_ok=True)  # of another test

    def adapt(self, text):
        text = super().adapt(text).replace("rtsp://camera.local/", f"rtsp://127.0.0.1:{self.port}/")
        text = text.replace("max-size-time=60000000000", "max-size-time=1000000000")
        text = text.replace("timeout=5000", "timeout=3000").replace("while sleep 1;", "while sleep 0.2;")
        return re.sub(r"\b(5004|8000)\b", self.port, text)

    def block(self, heading, language="sh", number=0):
        """What the block needs and is not here skips the test."""
        text = super().block(heading, language, number)
        for name in re.findall(r"[! ] (x264enc|h264parse|hlssink2|watchdog|waylandsink)\b", text):
            if not has_element(name):
                self.skipTest(f"needs GStreamer's element {name}")
        return text

    def start_camera(self):
        python = python_with_gstreamer("GstRtspServer")
        if not python or not has_element("x264enc"):
            self.skipTest("needs gir1.2-gst-rtsp-server-1.0 and x264enc")
        camera = self.start_program([python, "-B", CAMERA, self.port, self.video, self.sent])
        self.assertEqual(camera.stdout.readline(), "ready\n")
        return camera

    def expect_people(self, lines, source, at_least=1):
        """Lines of one source in order, with people."""
        self.assertGreaterEqual(len(lines), at_least)
        self.assertEqual({line["source"] for line in lines}, {source})
        self.assertEqual([line["frame"] for line in lines], list(range(len(lines))))
        times = [line["pts_ns"] for line in lines]
        self.assertEqual(times, sorted(times))
        self.assertTrue(all(line["detections"] for line in lines), "two figures are in each frame")

    def frames_in(self, source):
        """The times of the frames that a source of GStreamer decodes to."""
        kept = self.folder / "count.jsonl"
        kept.unlink(missing_ok=True)
        self.finish(self.start_text(f"gst-launch-1.0 {source} ! decodebin ! videoconvert ! tandemmeta2json "
                                    f"! filesink location={kept}"))
        return [line["pts_ns"] for line in self.lines(kept)]

    def test_webcam(self):
        self.run_block("Webcam", "sh", 1)
        lines = self.lines("desk.jsonl")
        self.expect_people(lines, "desk")
        self.assertEqual((lines[0]["width"], lines[0]["height"]), (640, 480))

    def test_list_of_cameras(self):
        if not shutil.which("gst-device-monitor-1.0"):
            self.block("Webcam", "sh", 2)
            self.skipTest("needs gstreamer1.0-plugins-base-apps")
        self.assertIn("Probing", self.run_block("Webcam", "sh", 2))

    def test_turned_and_stretched(self):
        phone = self.folder / "phone.mp4"
        for form, muxer, size in [("width=640,height=480", "qtmux", (480, 640)),
                                  ("width=320,height=480,pixel-aspect-ratio=2/1", "matroskamux", (640, 480))]:
            self.run_text(f"gst-launch-1.0 filesrc location={self.video} ! avidemux ! jpegdec ! videoscale "
                          f"! videoconvert ! video/x-raw,format=I420,{form} ! jpegenc ! {muxer} "
                          f"! filesink location={phone}")
            if muxer == "qtmux":  # a quarter, in the track header's matrix
                stored = bytearray(phone.read_bytes())
                matrix = stored.index(b"tkhd") + 44
                stored[matrix:matrix + 20] = struct.pack(">5i", 0, 0x10000, 0, -0x10000, 0)
                phone.write_bytes(stored)
            self.run_block("Turned and stretched videos")
            lines = self.lines("phone.jsonl")
            self.assertEqual({(line["width"], line["height"]) for line in lines}, {size})
            self.assertEqual({line["source"] for line in lines}, {"phone"})

    def test_rtsp(self):
        analysis = self.block("RTSP")
        self.start_camera()
        process = self.start_text(analysis)
        self.wait_for(lambda: self.count_lines("gate.jsonl") >= LINES, process)
        self.interrupt(process)
        self.expect_people(self.lines("gate.jsonl"), "gate", LINES)

    def test_rtsp_to_mqtt(self):
        analysis = self.block("RTSP to MQTT")
        broker = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        if not broker or not shutil.which("mosquitto_sub"):
            self.skipTest("needs mosquitto and mosquitto-clients")
        if os.environ.get("TANDEM_NO_MQTT"):
            self.skipTest("needs a build with MQTT")
        self.start_camera()
        self.port = str(free_port())  # the camera has the other one
        server = self.start_program([broker, "-p", self.port])
        self.wait_for(self.listens, server)
        reader = self.start_program(["mosquitto_sub", "-h", "127.0.0.1", "-p", self.port, "-t", "site/gate/people",
                                     "-q", "1", "-C", str(LINES)])
        process = self.start_text(analysis.replace("//localhost/", f"//127.0.0.1:{self.port}/"))
        lines = [json.loads(line) for line in self.finish(reader).splitlines()]
        self.interrupt(process)
        self.assertEqual({line["source"] for line in lines}, {"gate"})
        self.assertTrue(all(line["detections"] for line in lines))

    def test_rtp(self):
        self.port = str(free_port(socket.SOCK_DGRAM))
        receiver = self.start("RTP over UDP")
        seen = 0
        for _ in range(2):  # the receiver outlives a sender
            sender = self.start("RTP over UDP", "sh", 1)
            self.wait_for(lambda: self.count_lines("gate.jsonl") >= seen + LINES, receiver)
            sender.kill()
            sender.wait()
            seen = self.count_lines("gate.jsonl")
        self.interrupt(receiver)
        lines = self.lines("gate.jsonl")
        self.assertEqual([line["frame"] for line in lines], list(range(len(lines))))
        self.assertEqual({line["source"] for line in lines}, {"gate"})

    def test_several_cameras(self):
        analysis = self.block("Several cameras")
        self.start_camera()
        process = self.start_text(analysis)
        sources = ("desk", "gate")
        self.wait_for(lambda: all(self.count_lines("cameras.jsonl", f'"source":"{source}"') >= LINES
                                  for source in sources), process)
        self.interrupt(process)
        for source in sources:
            lines = [line for line in self.lines("cameras.jsonl") if line["source"] == source]
            self.expect_people(lines, source, LINES)

    def test_recording_of_what_the_camera_sends(self):
        analysis = self.block("Recording")
        self.start_camera()
        process = self.start_text(analysis)
        self.wait_for(lambda: self.count_lines("gate.jsonl") >= 3 * LINES, process)
        self.interrupt(process)
        lines = self.lines("gate.jsonl")
        self.expect_people(lines, "gate", LINES)
        recorded = self.frames_in("filesrc location=gate.mkv")
        self.assertGreaterEqual(len(recorded), len(lines))
        sent = [int(time) for time in self.sent.read_text(encoding="ascii").split()]
        self.assertIn(gaps(recorded), [gaps(sent[n:n + len(recorded)]) for n in range(len(sent))],
                      "other frames than the camera sent")

    def test_recording_that_breaks_off(self):
        analysis = self.block("Recording")
        self.start_camera()
        process = self.start_text(analysis)
        self.wait_for(lambda: self.count_lines("gate.jsonl") >= LINES, process)
        process.kill()
        process.wait()
        self.assertTrue(self.frames_in("filesrc location=gate.mkv"))

    def test_recording_of_a_webcam(self):
        # Frames that one thread cannot analyse at their rate: the recording has those as well that the bin drops.
        text = self.block("Recording", "sh", 1)
        text = text.replace("format=I420", "format=I420,width=1280,height=720,framerate=30/1")
        self.finish(self.start_text(text.replace("overload=drop", "overload=drop mapping=ccc threads=1")))
        self.assertLess(self.count_lines("desk.jsonl"), WEBCAM_FRAMES)
        self.assertEqual(len(self.frames_in("filesrc location=desk.mp4")), WEBCAM_FRAMES)

    def run_and_count(self, *block):
        """How many frames passed the bin: it posts a QoS message for each that it dropped."""
        text = self.block(*block).replace("gst-launch-1.0 -e", "gst-launch-1.0 -e -m")
        dropped = len(re.findall(r'element "tandembin\d+" \(qos\)', self.finish(self.start_text(text))))
        return WEBCAM_FRAMES - dropped

    def test_mp4_segments(self):
        passed = self.run_and_count("MP4 segments")
        segments = sorted(path.name for path in self.folder.glob("people?????.mp4"))
        self.assertGreaterEqual(len(segments), 2)
        each = [len(self.frames_in(f"filesrc location={name}")) for name in segments]
        self.assertEqual(sum(each), passed, each)
        self.assertEqual(len(self.frames_in("splitmuxsrc location=people*.mp4")), passed)

    def test_hls(self):
        passed = self.run_and_count("HLS")
        live = self.folder / "live"
        playlist = (live / "people.m3u8").read_text(encoding="ascii")
        segments = [line for line in playlist.splitlines() if line and not line.startswith("#")]
        self.assertEqual(segments, sorted(path.name for path in live.glob("*.ts")))
        self.assertGreaterEqual(len(segments), 2)
        each = [len(self.frames_in(f"filesrc location=live/{name}")) for name in segments]
        self.assertEqual(sum(each), passed, each)
        # Where few frames pass, hlsdemux may leave out the last one of a segment.
        played = len(self.frames_in("filesrc location=live/people.m3u8 ! hlsdemux"))
        self.assertIn(played, range(passed - len(segments), passed + 1))
        server = self.start("HLS", "sh", 1)
        address = f"http://127.0.0.1:{self.port}/"
        self.wait_for(lambda: self.listens(), server)
        for name in ["people.m3u8", *segments]:
            with urllib.request.urlopen(address + name, timeout=20) as answer:
                self.assertEqual(answer.read(), (live / name).read_bytes())

    def listens(self):
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", int(self.port))) == 0

    def test_a_camera_that_goes_away(self):
        analysis = self.block("A camera that goes away")
        camera = self.start_camera()
        loop = self.start_text(analysis)
        self.wait_for(lambda: self.count_lines("gate.jsonl") >= LINES, loop)
        for end in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP):
            seen = self.count_lines("gate.jsonl")
            camera.send_signal(end)
            if end == signal.SIGSTOP:  # the connection stays
                self.wait_for_line("Watchdog triggered", loop)
                camera.kill()
            else:
                self.wait_for_line("WARNING: ", loop)
                self.wait_for_line("Got EOS", loop)
            camera.wait()
            if end == signal.SIGKILL:
                self.wait_for_line("ERROR: ", loop)  # it cannot be reached
            camera = self.start_camera()
            self.wait_for(lambda: self.count_lines("gate.jsonl") >= seen + LINES, loop)
        kill_all(loop)
        # Its last line may not be whole.
        text = (self.folder / "gate.jsonl").read_text(encoding="utf-8")
        numbers = [json.loads(line)["frame"] for line in text.splitlines(keepends=True) if line.endswith("\n")]
        self.assertGreaterEqual(numbers.count(0), 4, "it begins at 0 each time")

    def test_display_under_x(self):
        webcam = self.block("Webcam").replace(f"num-buffers={WEBCAM_FRAMES}", "num-buffers=-1")
        if not shutil.which("Xvfb") or not has_element("ximagesink") or not has_element("ximagesrc"):
            self.skipTest("needs Xvfb, ximagesink and ximagesrc")
        screen = self.start_program(screen_command())
        desktop = {"DISPLAY": ":" + screen.stdout.readline().strip(), "WAYLAND_DISPLAY": ""}
        process = self.start_text(webcam, **desktop)
        seen = self.folder / "screen.gray"

        def is_shown():
            self.finish(self.start_text(
                f"gst-launch-1.0 ximagesrc num-buffers=1 ! videoconvert ! video/x-raw,format=GRAY8 "
                f"! filesink location={seen}", **desktop))
            return min(seen.read_bytes()[:320]) > 150  # the ground behind the figures, from the corner on
        self.wait_for(is_shown, process)
        self.interrupt(process)

    def test_display_under_wayland(self):
        webcam = self.block("Display")
        if not shutil.which("weston"):
            self.skipTest("needs weston")
        self.folder.chmod(0o700)
        desktop = {"XDG_RUNTIME_DIR": str(self.folder), "WAYLAND_DISPLAY": "screen"}
        weston = self.start_program(["weston", "--backend=headless-backend.so", "--socket=screen", "--idle-time=0"],
                                    XDG_RUNTIME_DIR=str(self.folder))
        self.wait_for((self.folder / "screen").exists, weston)
        self.finish(self.start_text(webcam, **desktop))


def load_tests(loader, _tests, _pattern):
    return test_suite(loader, Recipes)


if __name__ == "__main__":
    os.environ.setdefault("GST_DEBUG_NO_COLOR", "1")
    unittest.main(verbosity=2)
