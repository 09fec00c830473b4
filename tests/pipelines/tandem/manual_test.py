# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the man pages and has man and mandoc read them.

usage: manual_test.py TANDEM"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TANDEM = str(pathlib.Path(sys.argv.pop()).resolve())


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.made.cleanup)
        environment = os.environ | {"SOURCE_DATE_EPOCH": "1000000000"}
        environment.pop("MESON_INSTALL_DESTDIR_PREFIX", None)
        subprocess.run([sys.executable, "-B", ROOT / "pipelines/manual/pages.py", TANDEM, "1.2.3", cls.made.name],
                       check=True, env=environment, timeout=60)
        cls.pages = sorted(pathlib.Path(cls.made.name).iterdir())

    def test_every_command_has_a_page(self):
        listed = subprocess.run([TANDEM, "--help"], check=True, stdout=subprocess.PIPE, text=True, timeout=30).stdout
        names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ")]
        self.assertGreaterEqual(len(names), 9)
        self.assertEqual({page.name for page in self.pages},
                         {"tandem.1", *(f"tandem-{name}.1" for name in names)})

    def test_every_option_is_in_bold(self):
        for page in [page for page in self.pages if page.stem != "tandem"]:
            command = page.stem.removeprefix("tandem-")
            told = subprocess.run([TANDEM, command, "--help"], check=True, stdout=subprocess.PIPE, text=True,
                                  timeout=30).stdout
            roff = page.read_text(encoding="utf-8")
            for line in told.splitlines():
                if line.startswith("  -"):
                    option = line.split()[0].split("=")[0].rstrip(",")
                    self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", roff, page.name)

    def test_date_and_version(self):
        self.assertTrue(self.pages[0].read_text(encoding="utf-8").startswith(
            '.TH TANDEM\\-BENCH 1 2001-09-09 "Tandem 1.2.3"'))

    @unittest.skipUnless(shutil.which("man"), "needs man-db")
    def test_man_warns_of_nothing(self):
        for page in self.pages:
            result = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", page], stderr=subprocess.PIPE,
                                    stdout=subprocess.DEVNULL, text=True, check=False, timeout=60,
                                    env=os.environ | {"MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
            self.assertEqual((result.returncode, result.stderr), (0, ""), page.name)

    @unittest.skipUnless(shutil.which("mandoc"), "needs mandoc")
    def test_mandoc_finds_nothing(self):
        result = subprocess.run(["mandoc", "-T", "lint", *self.pages], stdout=subprocess.PIPE, text=True, check=False,
                                timeout=60)
        self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
