# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the stage files, functions and commands of docs/stage-files.md. usage: stage_files_test.py FOLDER_OF_TANDEM"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from page import ROOT, blocks

PAGE = "docs/stage-files.md"
PATIENCE_SECONDS = 150
COMMANDS = sys.argv.pop()
# How each function of the page is called.
CALLS = {name: f"{name}(v)" for name in
         "fabs floor ceil round rint trunc sqrt rsqrt cbrt exp exp2 log log2 log10 sin cos tan asin acos atan sinh "
         "cosh tanh convert_int convert_int_rte convert_uchar convert_uchar_sat convert_uchar_sat_rte".split()}
CALLS |= {name: f"{name}(v, 0.5)" for name in "min max fmin fmax fmod copysign hypot pow atan2".split()}
CALLS |= {name: f"{name}(v, 0.25, 0.5)" for name in "clamp fma mad mix".split()}
CALLS |= {"abs": "abs(n) + min(n, 3) + max(n, 3) + clamp(n, 2, 3)", "convert_float": "convert_float(n)"}


class StageFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        pathlib.Path(self.folder.name, "pipelines").symlink_to(ROOT / "pipelines")

    def run_here(self, command):
        environment = os.environ | {"PATH": COMMANDS + ":" + os.environ["PATH"],
                                    "TANDEM_CACHE_DIR": self.folder.name + "/cache"}
        done = subprocess.run(["bash", "-e", "-c", command], cwd=self.folder.name, env=environment, text=True,
                              capture_output=True, timeout=PATIENCE_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, command + done.stdout + done.stderr)
        return done.stdout

    def check_file(self, name, text):
        pathlib.Path(self.folder.name, name).write_text(text, encoding="utf-8")
        output = self.run_here(f"tandem check-stage --size 64x48 {name}")
        self.assertNotIn("warning", output)

    def test_examples(self):
        files = [text for _, language, text in blocks(PAGE) if language == "c"]
        self.assertEqual(len(files), 3)
        for text in files:
            self.assertTrue(text.startswith("//!STAGE "))
            self.check_file(text.split()[1] + ".cl", text)

    def test_commands(self):
        commands = [text for _, language, text in blocks(PAGE) if language == "sh"]
        self.assertEqual(len(commands), 2)
        for command in commands:
            self.run_here(command)

    def test_functions(self):
        section = (ROOT / PAGE).read_text(encoding="utf-8").split("## Functions")[1].split("\n## ")[0]
        rows = [line for line in section.splitlines() if line.startswith("|")]
        names = set(re.findall(r"`(\w+)`", " ".join(rows)))
        self.assertEqual(names, set(CALLS))
        body = "".join(f"sum += {call};\n" for call in CALLS.values())
        self.check_file("functions.cl", "//!STAGE functions\n//!READ luma\n//!WRITE to float32 tolerance=1e-4\n"
                        "//!MAP\nint n = luma(0, 0);\nfloat v = (n + 1) / 256.0, sum = 0;\n" + body + "to = sum;\n")


if __name__ == "__main__":
    unittest.main()
