#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that debian/ agrees with ./dev and meson.build."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Debian(unittest.TestCase):
    def test_build_needs_the_headers_that_dev_installs(self):
        """`./dev package` installs what debian/control needs, and debian/control needs the headers among that."""
        dev = read("dev")
        package = re.search(r"^package\(\) \{\n(.*?)\n\}$", dev, re.MULTILINE | re.DOTALL)[1]
        groups = " ".join(re.findall(r"\bneed ([^;\n]*)", package))
        groups = groups.replace('"${to_run[@]}"', re.search(r"^to_run=\((.*)\)$", dev, re.MULTILINE)[1])
        dev = dev.split("declare -A packages=(")[1]
        installed = {name for group in groups.split()
                     for name in re.search(rf"\[{group}\]='([^']*)'", dev)[1].split()}
        control = read("debian/control").split("Build-Depends:")[1].split("\n\n")[0]
        # debhelper-compat is a version of debhelper, `:any` says for which architecture a package may be.
        needed = {name.replace("-compat", "").replace(":any", "")
                  for name in re.findall(r"^ (\S+?),?(?: |$)", control, re.MULTILINE)}
        self.assertGreaterEqual(len(needed), 10)
        self.assertEqual(needed - installed, set())
        headers = {name for name in installed - {"dpkg-dev"} if name.endswith(("-dev", "-headers"))}
        self.assertEqual(headers - needed, set())

    def test_versions_agree(self):
        version = re.search(r"version: '([^']*)'", read("meson.build"))[1]
        self.assertEqual(re.match(r"tandem \(([^)]*)\)", read("debian/changelog"))[1], version)


if __name__ == "__main__":
    unittest.main()
