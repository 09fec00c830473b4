# SPDX-License-Identifier: LGPL-2.1-or-later
"""`tandem run --show` on a screen that nobody sees, and without one.

usage: show_test.py TANDEM
"""
import ctypes
import ctypes.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "pages"))
from page import screen_command

TANDEM = sys.argv.pop(1)
PATIENCE_S = 120  # for a busy machine
FRAMES = 3000
SIZE = (320, 240)
BRIGHT = 150  # of 255: the video is white, the screen behind it black


def has_element(name):
    return subprocess.run(["gst-inspect-1.0", "--exists", name], check=False).returncode == 0


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("rest", ctypes.c_long * 24)]


def close_window(display_name):
    """What a window manager does when somebody closes the only window."""
    x11 = ctypes.CDLL(ctypes.util.find_library("X11"))
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = x11.XDefaultRootWindow.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(display_name.encode()))
    root, parent, children, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
    x11.XQueryTree(display, ctypes.c_ulong(x11.XDefaultRootWindow(display)), ctypes.byref(root), ctypes.byref(parent),
                   ctypes.byref(children), ctypes.byref(count))
    event = ClientMessage(type=33, window=children[0], format=32,
                          message_type=x11.XInternAtom(display, b"WM_PROTOCOLS", False))
    event.data[0] = x11.XInternAtom(display, b"WM_DELETE_WINDOW", False)
    x11.XSendEvent(display, ctypes.c_ulong(children[0]), False, ctypes.c_long(0), ctypes.byref(event))
    x11.XCloseDisplay(display)
    return count.value


class Show(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tandem_show_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.programs = []
        self.addCleanup(self.end_programs)

    def end_programs(self):
        for program in self.programs:
            program.kill()
            program.wait()

    def path(self, name):
        return str(self.folder / name)

    def make_video(self):
        subprocess.run(
            f"gst-launch-1.0 -q videotestsrc pattern=white num-buffers={FRAMES} ! video/x-raw,format=I420,width={SIZE[0]},"
            f"height={SIZE[1]},framerate=25/1 ! jpegenc ! avimux ! filesink location={self.path('in.avi')}",
            shell=True, check=True)

    def start_screen(self):
        if not shutil.which("Xvfb"):
            self.skipTest("needs xvfb")
        if not has_element("ximagesink") or not has_element("ximagesrc") or not ctypes.util.find_library("X11"):
            self.skipTest("needs ximagesink, ximagesrc and libX11")
        screen = subprocess.Popen(screen_command(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.programs.append(screen)
        self.addCleanup(screen.stdout.close)
        return screen, ":" + screen.stdout.readline().strip()

    def start(self, *options, **desktop):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("DISPLAY", "WAYLAND_DISPLAY")} | desktop
        with open(self.path("told"), "w", encoding="utf-8") as told:
            process = subprocess.Popen(
                [TANDEM, "run", "tracking", "--device", "cpu", "--input", self.path("in.avi"), "--show", *options],
                stdin=subprocess.DEVNULL, stdout=told, stderr=told, env=environment)
        self.programs.append(process)
        return process

    def told(self):
        return pathlib.Path(self.path("told")).read_text(encoding="utf-8")

    def wait_until_shown(self, process, display):
        seen = self.folder / "screen.gray"
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and process.poll() is None:
            subprocess.run(
                f"gst-launch-1.0 -q ximagesrc num-buffers=1 ! videoconvert ! video/x-raw,format=GRAY8 "
                f"! filesink location={seen}", shell=True, check=True, env=os.environ | {"DISPLAY": display})
            if min(seen.read_bytes()[:SIZE[0]]) > BRIGHT:
                return
            time.sleep(0.05)
        self.fail(f"no frame is shown: {self.told()}")

    def lines(self):
        text = pathlib.Path(self.path("lines")).read_text(encoding="utf-8")
        return [json.loads(line)["frame"] for line in text.splitlines()]

    def test_frames_are_shown(self):
        self.make_video()
        _, display = self.start_screen()
        process = self.start(DISPLAY=display)
        self.wait_until_shown(process, display)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE_S), 130, self.told())

    def test_closing_the_window_ends_what_is_only_shown(self):
        self.make_video()
        _, display = self.start_screen()
        process = self.start(DISPLAY=display)
        self.wait_until_shown(process, display)
        self.assertEqual(close_window(display), 1, "one window")
        self.assertEqual(process.wait(PATIENCE_S), 0, self.told())
        self.assertIn("ended early: the window was closed", self.told())

    def test_closing_the_window_leaves_the_other_outputs(self):
        self.make_video()
        _, display = self.start_screen()
        process = self.start("--metadata", self.path("lines"), DISPLAY=display)
        self.wait_until_shown(process, display)
        close_window(display)
        self.assertEqual(process.wait(PATIENCE_S), 0, self.told())
        self.assertIn("the window was closed; the run continues", self.told())
        self.assertEqual(self.lines(), list(range(FRAMES)))

    def test_a_display_that_goes_leaves_the_other_outputs(self):
        self.make_video()
        screen, display = self.start_screen()
        process = self.start("--metadata", self.path("lines"), "--output", self.path("o.mkv"), DISPLAY=display)
        self.wait_until_shown(process, display)
        screen.kill()
        self.assertEqual(process.wait(PATIENCE_S), 1, self.told())
        self.assertIn("warning: the window cannot be shown: the connection to its display was lost", self.told())
        self.assertEqual(self.lines(), list(range(FRAMES)))
        self.assertGreater(os.path.getsize(self.path("o.mkv")), FRAMES * 10)
        self.assertNotIn("is not complete", self.told())

    def test_a_display_that_goes_ends_what_is_only_shown(self):
        self.make_video()
        screen, display = self.start_screen()
        process = self.start(DISPLAY=display)
        self.wait_until_shown(process, display)
        screen.kill()
        self.assertEqual(process.wait(PATIENCE_S), 1, self.told())
        self.assertIn("the connection to its display was lost", self.told())

    def test_without_a_display_the_message_says_what_to_do(self):
        self.make_video()
        for desktop, problem in (({}, "this session has no display"),
                                 ({"DISPLAY": ":4711"}, "no window can be opened on the display (DISPLAY=:4711)"),
                                 ({"DISPLAY": ":4711", "WAYLAND_DISPLAY": "none"},
                                  "(WAYLAND_DISPLAY=none, DISPLAY=:4711)")):
            process = self.start("--output", self.path("o.mkv"), **desktop)
            self.assertEqual(process.wait(PATIENCE_S), 1, self.told())
            if "elements for windows are missing" in self.told():
                continue
            self.assertIn(problem, self.told())
            self.assertIn("Run it in a desktop session", self.told())
            self.assertFalse(os.path.exists(self.path("o.mkv")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
