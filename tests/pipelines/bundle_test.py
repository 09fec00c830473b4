# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bundles a build as `./dev bundle` does and runs what the bundle carries, without the machine's GStreamer.

usage: bundle_test.py BUILD"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).parent / "pages"))
from page import FRAMES, ROOT, make_clip

BUILD = pathlib.Path(sys.argv.pop()).resolve()
LIMIT_MIB = int(re.search(r"in one folder under (\d+) MiB", " ".join((ROOT / "HACKING.md").read_text().split()))[1])
# The kernel's, the loader's and the compiler's libraries are those of the machine.
OF_THE_MACHINE = re.compile(r"lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s)\.so")


def bundle(*arguments):
    return subprocess.run([ROOT / "tools/bundle", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, timeout=100)


class Bundle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        cls.folder = pathlib.Path(made.name)
        cls.small = cls.folder / "small"
        cls.said = bundle(BUILD, cls.small)

    def run_in(self, where, *command):
        return subprocess.run([where / "run", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, timeout=100, cwd=self.folder,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)})

    def test_stays_within_the_limit(self):
        self.assertEqual(self.said.returncode, 0, self.said.stdout)
        mib = int(re.search(r": (\d+) MiB, needs GLIBC", self.said.stdout)[1])
        self.assertLess(mib, LIMIT_MIB)

    def test_libraries_are_its_own(self):
        programs = [path for path in self.small.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        self.assertGreater(len(programs), 20)
        listed = subprocess.run(["ldd", *programs], stdout=subprocess.PIPE, text=True, check=True, timeout=60,
                                env=os.environ | {"LD_LIBRARY_PATH": str(self.small / "lib")}).stdout
        for name, found in re.findall(r"^\s+(\S+) => (\S+)", listed, re.MULTILINE):
            self.assertTrue(OF_THE_MACHINE.match(name) or found.startswith(f"{self.small}/"), f"{name} => {found}")

    def test_doctor(self):
        result = self.run_in(self.small, "tandem", "doctor")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn(f"{self.small}/share/tandem/models/person.vivid", result.stdout)

    def test_plugin_is_its_own(self):
        result = self.run_in(self.small, "gst-inspect-1.0", "tandembin")
        self.assertIn(f"{self.small}/plugins/libgsttandem.so", result.stdout)

    def test_finds_people(self):
        make_clip(self.folder / "clip.avi")
        result = self.run_in(self.small, "tandem", "run", "vivid", "--input", "clip.avi", "--output", "people.avi",
                             "--metadata", "people.jsonl")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(len((self.folder / "people.jsonl").read_text().splitlines()), FRAMES)

    def test_lists_its_programs(self):
        result = self.run_in(self.small)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.splitlines()[1:], ["gst-inspect-1.0", "gst-launch-1.0", "tandem"])

    def test_says_where_checks_are(self):
        result = self.run_in(self.small, "page_locked_bench")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"no program page_locked_bench; .* \./dev bundle --checks DIR\n$")

    def test_checks_on_request(self):
        """A check above the limit, which does not count there."""
        build, whole, zeros = self.folder / "build", self.folder / "whole", self.folder / "zeros"
        (build / "tests/kernels").mkdir(parents=True)
        for name in ("gst", "gst-libs", "pipelines"):
            (build / name).symlink_to(BUILD / name)
        zeros.touch()
        os.truncate(zeros, (LIMIT_MIB + 1) << 20)
        subprocess.run(["objcopy", "--add-section", f"zeros={zeros}", "/bin/echo",
                        build / "tests/kernels/echo_check"], check=True, timeout=60)
        result = bundle("--checks", build, whole)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn(f" and {LIMIT_MIB + 1} MiB of checks, needs GLIBC", result.stdout)
        self.assertIn("echo_check", self.run_in(whole).stdout.splitlines())
        self.assertEqual(self.run_in(whole, "echo_check", "checked").stdout, "checked\n")

    def test_keeps_what_it_cannot_replace(self):
        build = self.folder / "empty"
        (build / "tests").mkdir(parents=True)
        for arguments, missing in ((["--checks"], "has no checks"), ([], "tandem is not there")):
            result = bundle(*arguments, build, self.small)
            self.assertEqual(result.returncode, 1)
            self.assertIn(missing, result.stdout)
        self.assertTrue((self.small / "bin/tandem").exists())


if __name__ == "__main__":
    unittest.main()
