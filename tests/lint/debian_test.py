#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that debian/ agrees with ./dev and meson.build."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Groups of ./dev that a build of the packages takes headers from.
GROUPS = ["gstreamer", "opencl", "tbb", "highway", "json", "pango", "brokers", "introspection", "libclang"]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Debian(unittest.TestCase):
    def test_build_needs_the_headers_that_dev_installs(self):
        dev = read("dev").split("declare -A packages=(")[1]
        wanted = set()
        for group in GROUPS:
            listed = re.search(rf"\[{group}\]='([^']*)'", dev)
            wanted |= {name for name in listed[1].split() if name.endswith(("-dev", "-headers"))}
        control = read("debian/control").split("Build-Depends:")[1].split("\n\n")[0]
        self.assertGreaterEqual(len(wanted), 10)
        self.assertEqual(wanted - set(re.findall(r"^ (\S+?),?(?: |$)", control, re.MULTILINE)), set())

    def test_versions_agree(self):
        version = re.search(r"version: '([^']*)'", read("meson.build"))[1]
        self.assertEqual(re.match(r"tandem \(([^)]*)\)", read("debian/changelog"))[1], version)


if __name__ == "__main__":
    unittest.main()
