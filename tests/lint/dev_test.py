#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs ./dev with programs in place of apt, sudo, meson and ninja that fail as the real ones do."""

import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What apt-get of Debian 12 writes.
NO_NETWORK = """\
W: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease  Temporary failure resolving 'deb.debian.org'
W: Some index files failed to download. They have been ignored, or old ones used instead.
E: Unable to locate package ninja-build"""
REFUSED = """\
E: Failed to fetch http://mirror.example/debian/pool/main/n/ninja-build/ninja-build_1.11.1-2_amd64.deb  \
Could not connect to mirror.example:80 (192.0.2.1). - connect (111: Connection refused)"""
LACKS = """\
Package pkgconf is not available, but is referred to by another package.
E: Unable to locate package ninja-build
E: Package 'pkgconf' has no installation candidate"""
FULL_CACHE = "E: You don't have enough free space in /var/cache/apt/archives/."
FULL_DISK = """\
dpkg: error processing archive /var/cache/apt/archives/g++-12_12.2.0-14_amd64.deb (--unpack):
 cannot copy extracted data for './usr/bin/g++-12' to '/usr/bin/g++-12.dpkg-new': failed to write (No space left on device)
E: Sub-process /usr/bin/dpkg returned an error code (1)"""
ROOM, NO_ROOM = "echo Avail; echo 1000000", "echo Avail; echo 0"
INSTALLED, MISSING = "echo installed", "exit 1"
OLD_GSTREAMER = "exit 1"
NEW_GSTREAMER = """\
case "$*" in
  --atleast-version=1.24*) ;;
  --variable=libdir*) echo /usr/lib/here ;;
  --exists*) [ -f "${PKG_CONFIG_PATH%%:*}/gstreamer-analytics-1.0.pc" ] ;;
esac"""
ANALYTICS = """\
prefix=/usr
includedir=${prefix}/include
libdir=${prefix}/lib/here

Name: gstreamer-analytics-1.0
Description: analytics
Version: 1.26.2
Libs: -L${libdir} -lgstanalytics-1.0
Cflags: -I${includedir}/gstreamer-1.0
"""
MESON = """\
[ "$1" != setup ] || { mkdir -p build/meson-private && touch build/build.ninja build/meson-private/cmd_line.txt; }
echo 'The Meson build system'"""


class Dev(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "clone"
        self.programs = pathlib.Path(folder.name) / "bin"
        self.root.mkdir()
        self.programs.mkdir()
        (self.root / "tools").mkdir()
        for name in ["dev", "tools/steps.sh"]:
            shutil.copy(ROOT / name, self.root / name)
        for name, text in {"id": "echo 0", "dpkg-query": MISSING, "apt-get": "exit 0", "sudo": "exit 1",
                           "df": ROOM, "meson": MESON, "ninja": "exit 0", "pkg-config": OLD_GSTREAMER}.items():
            self.program(name, text)

    def program(self, name, text):
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def apt_says(self, text):
        (self.root / "apt-says").write_text(text + "\n", encoding="utf-8")
        # `update` goes on without a network, as apt-get does.
        self.program("apt-get", f'cat "{self.root}/apt-says" >&2; case " $* " in *" update "*) exit 0 ;; esac; exit 100')

    def environment(self):
        return {**os.environ, "PATH": f"{self.programs}:/usr/bin:/bin"}

    def run_dev(self, *arguments):
        return subprocess.run([self.root / "dev", *arguments], capture_output=True, text=True, check=False,
                              env=self.environment())

    def fails(self, *arguments):
        """Its one line about what is wrong."""
        result = self.run_dev(*arguments)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        return result.stderr

    def has(self, line, *parts):
        for part in parts:
            self.assertIn(part, line)

    def test_without_a_network(self):
        for said, host in [(NO_NETWORK, "deb.debian.org"), (REFUSED, "mirror.example")]:
            self.apt_says(said)
            self.has(self.fails("setup", "build"), f"cannot reach {host}:", "network", "(log: .cache/apt.log)")

    def test_without_root(self):
        self.program("id", "echo 1000")
        line = self.fails("setup", "json", "tbb")
        self.has(line, "neither root nor sudo", "apt-get install", "nlohmann-json3-dev libtbb-dev")

    def test_a_mirror_that_lacks_packages(self):
        self.apt_says(LACKS)
        self.has(self.fails("setup", "build"), "lack ninja-build pkgconf:", "(log: .cache/apt.log)")

    def test_a_full_disk(self):
        for said in [FULL_CACHE, FULL_DISK]:
            self.apt_says(said)
            self.has(self.fails("setup", "build"), "the disk is full: make room", "(log: .cache/apt.log)")
        self.apt_says("E: Write error")
        self.program("df", NO_ROOM)
        self.has(self.fails("setup", "build"), "the disk is full")

    def test_another_error_of_apt(self):
        self.apt_says("E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt)")
        self.has(self.fails("setup", "build"), "apt failed: Could not get lock", "(log: .cache/apt.log)")

    def test_downloads_are_tried_again(self):
        self.program("apt-get", f'echo "$*" >>"{self.root}/called"')
        self.assertEqual(self.run_dev("setup", "json").returncode, 0)
        self.has((self.root / "called").read_text(encoding="utf-8"), "Acquire::Retries=3", "install")

    def test_headers_of_analytics_are_unpacked_once(self):
        usr = self.root / "deb/usr"
        for path, text in {"include/gstreamer-1.0/gst/analytics/analytics.h": "", "lib/here/other.so": "",
                           "lib/here/pkgconfig/gstreamer-analytics-1.0.pc": ANALYTICS}.items():
            (usr / path).parent.mkdir(parents=True, exist_ok=True)
            (usr / path).write_text(text, encoding="utf-8")
        self.program("dpkg-query", INSTALLED)
        self.program("apt-get", f'echo "$*" >>"{self.root}/called"; touch libgstreamer-plugins-bad1.0-dev_1_amd64.deb')
        self.program("dpkg-deb", f'tar -c -C "{self.root}/deb" .')
        unpacked = self.root / ".cache/analytics"
        self.assertEqual(self.run_dev("setup", "gstreamer").returncode, 0)
        self.assertFalse(unpacked.exists())  # GStreamer has none
        self.program("pkg-config", NEW_GSTREAMER)
        self.assertEqual(self.run_dev("setup", "json").returncode, 0)
        self.assertFalse(unpacked.exists())
        for _ in range(2):
            result = self.run_dev("setup", "gstreamer")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        calls = (self.root / "called").read_text(encoding="utf-8")
        self.assertEqual(calls.count("download libgstreamer-plugins-bad1.0-dev"), 1, calls)
        self.assertTrue((unpacked / "usr/include/gstreamer-1.0/gst/analytics/analytics.h").exists())
        text = (unpacked / "pkgconfig/gstreamer-analytics-1.0.pc").read_text(encoding="utf-8")
        self.has(text, "prefix=${pcfiledir}/../usr\n", "\nLibs: /usr/lib/here/libgstanalytics-1.0.so.0\n")
        self.assertEqual(sorted(path.name for path in unpacked.iterdir()), ["pkgconfig", "usr"])

    def test_without_headers_of_analytics_the_build_goes_on(self):
        self.program("dpkg-query", INSTALLED)
        self.program("pkg-config", NEW_GSTREAMER)
        self.apt_says(NO_NETWORK)
        result = self.run_dev("build")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.has(result.stdout, "without GstAnalytics:", "(log: .cache/analytics.log)")
        self.assertFalse((self.root / ".cache/analytics").exists())

    def test_the_video_of_the_demo(self):
        if pathlib.Path("/usr/share/doc/opencv-doc/examples/data/vtest.avi").exists():
            self.skipTest("opencv-doc is installed: the demo copies its video")
        self.program("dpkg-query", INSTALLED)
        for said, part in [(NO_NETWORK, "cannot reach deb.debian.org:"),
                           ("E: Unable to locate package opencv-doc", "lack opencv-doc:"),
                           (FULL_DISK, "the disk is full:")]:
            self.apt_says(said)
            self.has(self.fails("demo"), part, "(log: .cache/demo-video.log)")
        self.program("apt-get", "touch opencv-doc_1_all.deb")
        self.program("dpkg-deb", "echo 'tar: vtest.avi: write error: No space left on device' >&2; exit 2")
        self.has(self.fails("demo"), "the disk is full:")
        self.assertFalse((self.root / ".cache/demo/vtest.avi").exists())

    def test_the_demo_ends_with_three_things_to_try(self):
        self.program("dpkg-query", INSTALLED)
        video = self.root / ".cache/demo/vtest.avi"
        video.parent.mkdir(parents=True)
        video.write_text("frames", encoding="utf-8")
        result = self.run_dev("demo")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()[-7:]
        self.assertEqual(lines[0], "To try next, in this folder:")
        for command in lines[2::2]:
            self.assertTrue(command.startswith("  meson devenv -C build -w ."), command)

    def test_a_compiler_that_fails(self):
        self.program("dpkg-query", INSTALLED)
        self.program("ninja", """\
echo '[1/3] Compiling a.cpp'
echo 'FAILED: b.o'
echo 'c++ -c b.cpp'
echo 'b.cpp:1: error: no such thing'
echo '[2/3] Compiling c.cpp'
echo 'ninja: build stopped: subcommand failed.'
exit 1""")
        result = self.run_dev("build")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "FAILED: b.o\nc++ -c b.cpp\nb.cpp:1: error: no such thing\n"
                                        "dev: the build in build/ failed (log: .cache/build.log)\n")
        self.program("ninja", "echo 'c++: fatal error: writing b.o: No space left on device'; exit 1")
        self.has(self.fails("build"), "the disk is full:", "(log: .cache/build.log)")

    def test_progress_and_warnings(self):
        self.program("dpkg-query", INSTALLED)
        self.program("ninja", "for i in $(seq 40); do echo \"[$i/40] Compiling $i.cpp\"; done; "
                              "echo '[40/40] Linking'; echo 'a.cpp:1: warning: unused'")
        result = self.run_dev("build")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 12, result.stdout)  # 0, 10, ... 100%, the warning
        self.assertEqual(lines[5], "== compiling in build/: 50%, step 20 of 40")
        self.assertEqual(lines[11], "a.cpp:1: warning: unused")
        self.assertIn("[7/40] Compiling 7.cpp", (self.root / ".cache/build.log").read_text(encoding="utf-8"))

    def test_progress_is_one_line_on_a_terminal(self):
        self.program("dpkg-query", INSTALLED)
        self.program("ninja", "for i in $(seq 40); do echo \"[$i/40] Compiling $i.cpp\"; done")
        main, terminal = pty.openpty()
        result = subprocess.run([self.root / "dev", "build"], stdout=terminal, stderr=subprocess.PIPE, check=False,
                                env=self.environment())
        os.close(terminal)
        shown = os.read(main, 1 << 16).decode()
        os.close(main)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(shown.count("\r\033[K== compiling"), 40)
        self.assertEqual(shown.count("\n"), 1, shown)

    def test_a_set_up_that_fails(self):
        self.program("dpkg-query", INSTALLED)
        self.program("meson", "echo Checking; echo 'meson.build:3:0: ERROR: Dependency \"tbb\" not found'; exit 1")
        self.has(self.fails("build"), 'cannot set build/ up: ERROR: Dependency "tbb" not found',
                 "(log: .cache/build-setup.log)")


if __name__ == "__main__":
    unittest.main(verbosity=2)
