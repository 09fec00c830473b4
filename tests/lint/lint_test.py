#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows that the checks of layering, tidiness and constants find what they look for, on small made-up trees."""

import pathlib
import tempfile
import unittest

import constants
import layering
import tidiness

SPDX = "// SPDX-License-Identifier: LGPL-2.1-or-later\n"


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Layering(Tree):
    def problems_of(self, name, include):
        self.write(name, SPDX + f"#include {include}\n")
        return layering.check(self.root)

    def test_accepts_arrows_that_point_down(self):
        self.write("gst/a.cpp", '#include "scheduler/b.h"\n#include "kernels/c.h"\n#include <gst/gst.h>\n')
        self.write("scheduler/b.cpp", '#include "model/d.h"\n#include "files/e.h"\n#include <vector>\n')
        self.write("tests/gst/e.cpp", '#include "gst/a.h"\n#include "model/d.h"\n')
        self.assertEqual(layering.check(self.root), [])

    def test_finds_each_arrow_that_points_up(self):
        wrong = {
            "model/a.h": ["scheduler", "kernels", "gst", "pipelines", "tests"],
            "files/a.cpp": ["model", "scheduler", "kernels", "gst", "pipelines", "tests"],
            "scheduler/a.cpp": ["kernels", "gst", "pipelines", "tests"],
            "kernels/k/k_ref.cpp": ["scheduler", "model", "gst", "pipelines", "tests"],
            "gst-libs/gst/tandem/a.cpp": ["gst", "pipelines", "tests"],
            "gst/a.cpp": ["pipelines", "tests"],
            "pipelines/a.cpp": ["tests"],
        }
        for name, targets in wrong.items():
            for target in targets:
                with self.subTest(name=name, target=target):
                    problems = self.problems_of(name, f'"{target}/x.h"')
                    self.assertEqual(len(problems), 1)
                    self.assertTrue(problems[0].startswith(f"{name}:2:"), problems[0])
            (self.root / name).unlink()

    def test_finds_strangers_inside_a_folder(self):
        self.write("scheduler/flow/a.cpp", '#include "scheduler/machine/b.h"\n')
        self.write("scheduler/learn/a.cpp", '#include "scheduler/machine/b.h"\n')
        self.assertEqual(layering.check(self.root), [])
        self.assertEqual(len(self.problems_of("scheduler/learn/a.cpp", '"scheduler/flow/item.h"')), 1)

    def test_finds_elements_that_the_bin_includes_and_the_reverse(self):
        self.write("gst/plugin.cpp", '#include "gst/bin/b.h"\n#include "gst/elements/e.h"\n')
        self.write("gst/bin/a.cpp", '#include "gst/memory/m.h"\n')
        self.assertEqual(layering.check(self.root), [])
        self.assertEqual(len(self.problems_of("gst/bin/a.cpp", '"gst/elements/kernelstage/kernelstage.h"')), 1)
        self.assertEqual(len(self.problems_of("gst/elements/klt/k.cpp", '"gst/bin/run.h"')), 2)

    def test_finds_gstreamer_outside_its_folder(self):
        for folder in ["model", "scheduler", "kernels"]:
            for header in ["<gst/gst.h>", "<glib.h>", "<gst/video/video.h>"]:
                with self.subTest(folder=folder, header=header):
                    self.assertEqual(len(self.problems_of(f"{folder}/a.cpp", header)), 1)
            (self.root / folder / "a.cpp").unlink()

    def test_knows_the_library_by_how_it_is_included(self):
        self.write("gst/a.cpp", "#include <gst/tandem/stage.h>\n#include <gst/tandem/private/ref.h>\n")
        self.assertEqual(layering.check(self.root), [])
        self.assertEqual(len(self.problems_of("gst/a.cpp", '"gst/tandem/stage.h"')), 1)
        self.assertEqual(len(self.problems_of("kernels/k/k.h", "<gst/tandem/stage.h>")), 2)

    def test_finds_sources_of_another_folder(self):
        self.write("gst/meson.build", "x = static_library('x', 'a.cpp', '../tests/b.cpp')\n")
        self.assertEqual(layering.check(self.root), [])
        self.write("gst-libs/gst/tandem/meson.build", "x = static_library('x', 'a.cpp', '../../../gst/b.cpp')\n")
        self.assertEqual(len(layering.check(self.root)), 1)

    def test_finds_relative_includes(self):
        self.assertEqual(len(self.problems_of("gst/a.cpp", '"../model/d.h"')), 1)


class Tidiness(Tree):
    def only_problem(self):
        problems = tidiness.check(self.root)
        self.assertEqual(len(problems), 1, problems)
        return problems[0]

    def write_kernel(self):
        for pattern in tidiness.KERNEL_FILES:
            self.write("kernels/blur/" + pattern.format("blur"), SPDX)

    def test_accepts_a_tidy_tree(self):
        self.write_kernel()
        self.write("kernels/blur/taps.h", SPDX)
        self.write("kernels/blur/taps.cpp", SPDX)
        self.write("dev", "#!/bin/sh\n" + SPDX.replace("//", "#"))
        self.assertEqual(tidiness.check(self.root), [])

    def test_finds_a_missing_licence(self):
        self.write("gst/a.cpp", "int a;\n")
        self.assertIn("gst/a.cpp:1:", self.only_problem())

    def test_finds_a_script_without_a_licence(self):
        self.write("tools/pack", "#!/bin/sh\n")
        self.assertIn("tools/pack:1:", self.only_problem())

    def test_finds_tabs_trailing_space_and_open_ends(self):
        for text, line in [("\tint a;\n", 2), ("int a; \n", 2), ("int a;", 2)]:
            with self.subTest(text=text):
                self.write("model/a.h", SPDX + text)
                self.assertIn(f"model/a.h:{line}:", self.only_problem())

    def test_finds_long_files_and_only_those(self):
        self.write("model/a.h", SPDX + "\n" * (tidiness.MAX_LINES - 1))
        self.assertEqual(tidiness.check(self.root), [])
        self.write("model/a.h", SPDX + "\n" * tidiness.MAX_LINES)
        self.assertIn("401 lines", self.only_problem())

    def test_finds_functions_that_follow_the_locale(self):
        for call in ["std::tolower(c)", "isdigit(c)", "std::atof(text)", "strcasecmp(a, b)", "std::stod(text)"]:
            with self.subTest(call=call):
                self.write("gst/a.cpp", SPDX + f"auto a = {call};\n")
                self.assertIn("gst/a.cpp:2:", self.only_problem())
        self.write("gst/a.cpp", SPDX + "auto a = g_ascii_isdigit(c) + ascii_lower(c);  // not tolower(c)\n")
        self.write("tests/a.cpp", SPDX + "auto a = isdigit(c);\n")
        self.assertEqual(tidiness.check(self.root), [])

    def test_finds_a_kernel_without_its_reference(self):
        self.write_kernel()
        (self.root / "kernels/blur/blur_ref.cpp").unlink()
        self.assertIn("blur_ref.cpp is missing", self.only_problem())

    def test_finds_a_stray_file_beside_a_kernel(self):
        self.write_kernel()
        self.write("kernels/blur/helpers.h", SPDX)
        self.assertIn("helpers.h", self.only_problem())

    def test_finds_a_device_side_that_needs_opencl(self):
        self.write_kernel()
        self.write("kernels/blur/blur_opencl.cpp", SPDX + '#include "kernels/opencl/native.h"\n')
        self.assertIn("blur_opencl.cpp includes kernels/opencl/native.h", self.only_problem())


class Constants(Tree):
    def test_reads_every_kind_of_declaration(self):
        text = SPDX + """constexpr double kA = 0.5, kB{2};  // constexpr int kComment = 1;
inline constexpr Enough kC{0.1, 50},
    kD{1, 2};
static constexpr std::array<const char*, 2> kE{"a", "b"};
constexpr int kF[] = {1, 2};
constexpr int function(int k) { return k; }
"""
        self.assertEqual(dict(constants.constants_of(text)),
                         {"kA": "0.5", "kB": "{2}", "kC": "{0.1, 50}", "kD": "{1, 2}", "kE": '{"a", "b"}', "kF": "{1, 2}"})

    def test_compares_page_and_code_both_ways(self):
        self.write("model/a.h", "constexpr int kSame = 2, kOther = 3, kNew = 4, kMaxStages = 16;\n")
        self.write("scheduler/learn/b.cpp", "constexpr double kBelow = 0.25;\n")
        self.write(constants.PAGE, "| `kSame` | 2 frames | 0.5-2 | why | model/a.h |\n| `kOther` | 4 frames | - | why | |\n"
                   "| `kGone` | 1 s | 1-2 | why | |\n| `kBelow` | 0.25 part | why | learn/b.cpp |\n")
        faults, count = constants.check(self.root)
        self.assertEqual(count, 4)
        page = [fault for fault in faults if fault.startswith(constants.PAGE)]
        self.assertEqual(page, [
            "docs/constants.md: `kBelow` in scheduler/learn/b.cpp has the range '': write what "
            "tests/virtual_chip/ranges.py prints",
            "docs/constants.md: `kOther` in model/a.h is 3, the row has 4 frames: measure its range anew",
            "docs/constants.md: add | `kNew` | 4 UNIT | RANGE | PURPOSE | model/a.h |",
            "docs/constants.md: remove the row of `kGone` in model/a.h: no such constant"])


if __name__ == "__main__":
    unittest.main()
