# SPDX-License-Identifier: LGPL-2.1-or-later
"""The loops of image processing become what the table of docs/generate.md says. usage: page_table_test.py TANDEM"""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TANDEM = sys.argv.pop()
PATIENCE_SECONDS = 60


def rows():
    """The files and the last column of each row."""
    text = (ROOT / "docs/generate.md").read_text(encoding="utf-8")
    table = text.split("### Loops of image processing")[1].split("\n\n")[2]
    for line in table.splitlines()[2:]:
        _, _, files, taken, _ = line.split("|")
        yield re.findall(r"`([\w-]+\.c)`", files), taken.strip()


class Table(unittest.TestCase):
    def test_each_file(self):
        seen = [(name, taken) for names, taken in rows() for name in names]
        self.assertGreaterEqual(len(seen), 17)
        form = ""
        for name, taken in seen:
            form = form if taken == "with the same" else taken
            path = next((ROOT / "pipelines/loops").rglob(name))
            done = subprocess.run([TANDEM, "generate", "--no-compile", path],
                                  text=True, capture_output=True, timeout=PATIENCE_SECONDS, check=False)
            with self.subTest(name):
                self.assertEqual(done.returncode, 1 if form.startswith("refused") else 0, done.stderr)
                if done.returncode == 0:
                    self.assertIn("// frame: any" if "--set" in form else "// frame: width", done.stdout)
                    self.assertEqual("REDUCE" in form, "//!REDUCE" in done.stdout)


if __name__ == "__main__":
    unittest.main()
