#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows that the check of headers finds a forgotten include, in small made-up trees."""

import json
import os
import pathlib
import tempfile
import unittest

import headers

VECTOR = "#pragma once\n#include <vector>\nstruct Row { std::vector<int> values; };\n"


class Alone(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        command = f"{os.environ.get('CXX', 'c++')} -I{self.root} -std=c++20 -c a.cpp"
        self.write("compile_commands.json", json.dumps([{"command": command}]))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def failed(self):
        _, self.left_out, failed = headers.check(self.root, headers.Compiler(self.root))
        return [name for name, _ in failed]

    def test_accepts_headers_that_include_what_they_use(self):
        self.write("model/row.h", VECTOR)
        self.write("model/table.h", '#pragma once\n#include "model/row.h"\nstruct Table { Row row; };\n')
        self.write("model/plain.h", "#pragma once\nstruct Plain {};\n")
        self.assertEqual(self.failed(), [])
        self.assertLess(len(headers.Headers(self.root).units()), 3)

    def test_finds_a_forgotten_header_of_the_compiler(self):
        self.write("model/row.h", VECTOR)
        for name in ["model/a.h", "model/z.h"]:  # before and behind the one that has it
            self.write(name, "#pragma once\nstruct Rows { std::vector<int> values; };\n")
        self.assertEqual(self.failed(), ["model/a.h", "model/z.h"])

    def test_finds_a_forgotten_header_of_the_project(self):
        self.write("model/row.h", VECTOR)
        self.write("model/table.h", "#pragma once\n#include <vector>\nstruct Table { std::vector<Row> rows; };\n")
        self.write("model/kinds.h", "#pragma once\n#include <vector>\nenum class Kind { row };\n")
        self.write("model/use.h", "#pragma once\n#include <vector>\nstruct Use { std::vector<Kind> kinds; };\n")
        self.assertEqual(self.failed(), ["model/table.h", "model/use.h"])

    def test_finds_a_header_that_another_one_includes_too_late(self):
        self.write("model/first.h", "#pragma once\nstruct First { std::vector<int> values; };\n")
        self.write("model/all.h", '#pragma once\n#include <vector>\n#include "model/first.h"\n')
        self.assertEqual(self.failed(), ["model/first.h"])

    def test_compiles_public_headers_as_c(self):
        self.write("gst-libs/gst/tandem/both.h", "#pragma once\ntypedef struct { int x; } Both;\n")
        self.write("gst-libs/gst/tandem/one.h", "#pragma once\nclass One;\n")
        self.assertEqual(self.failed(), ["gst-libs/gst/tandem/one.h"])

    def test_leaves_out_parts_of_sources_and_absent_packages(self):
        self.write("kernels/blur/blur-inl.h", "HWY_BEFORE_NAMESPACE();\n")
        self.write("pipelines/clang.h", "#include <clang-c/NotThere.h>\n")
        self.write("pipelines/own.h", '#include "pipelines/not_there.h"\n')
        self.assertEqual(self.failed(), ["pipelines/own.h"])
        self.assertEqual(self.left_out, ["pipelines/clang.h"])


if __name__ == "__main__":
    unittest.main()
