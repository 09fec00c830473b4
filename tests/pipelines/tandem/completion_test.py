# SPDX-License-Identifier: LGPL-2.1-or-later
"""Completes words of the command `tandem` as bash does.

usage: completion_test.py TANDEM"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIBRARY = pathlib.Path("/usr/share/bash-completion/bash_completion")
SCRIPT = """
source "$LIBRARY" && source "$COMPLETION" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$LINE" \
  COMP_POINT=${#LINE} && { _tandem "$1"; printf '%s\\n' "${COMPREPLY[@]}"; }
"""
TANDEM = str(pathlib.Path(sys.argv.pop()).resolve())


@unittest.skipUnless(LIBRARY.exists(), "needs bash-completion")
class Completion(unittest.TestCase):
    def complete(self, *words, folder="."):
        """What bash offers for the last word. An "=" is a word of its own for it."""
        result = subprocess.run(
            ["bash", "--norc", "-c", SCRIPT, "bash", TANDEM, *words], cwd=folder, timeout=30, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={"PATH": "/usr/bin:/bin", "LIBRARY": str(LIBRARY),
                 "LINE": " ".join([TANDEM, *words]).replace(" = ", "="), "COMPLETION": str(ROOT / "pipelines/manual/completion.bash")})
        return result.stdout.split()

    def test_commands(self):
        self.assertEqual(self.complete("do"), ["doctor"])
        self.assertIn("run", self.complete(""))
        self.assertIn("--version", self.complete("--"))
        self.assertEqual(self.complete("help", "kn"), ["knowledge"])

    def test_first_words(self):
        self.assertEqual(self.complete("run", "tr"), ["tracking"])
        self.assertEqual(self.complete("bench", "sc"), ["scene"])
        self.assertEqual(sorted(self.complete("knowledge", "")),
                         ["export", "forget", "import", "list", "path", "show"])

    def test_options(self):
        self.assertEqual(self.complete("run", "vivid", "--meta"), ["--metadata="])
        self.assertEqual(self.complete("doctor", "--j"), ["--json"])

    def test_values(self):
        self.assertEqual(self.complete("run", "vivid", "--device", "=", ""), ["auto", "cpu", "opencl"])
        self.assertEqual(self.complete("run", "vivid", "--device", "o"), ["opencl"])
        self.assertEqual(self.complete("run", "vivid", "--threads", "=", ""), [])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "street.mp4").touch()
            (pathlib.Path(folder) / "kept").mkdir()
            for words in (("run", "vivid", "--input", "=", "st"), ("run", "vivid", "--output", "st"),
                          ("report", "--output", "o", "st"), ("report", "st")):
                self.assertEqual(self.complete(*words, folder=folder), ["street.mp4"], words)
            self.assertEqual(self.complete("knowledge", "list", "--folder", "=", "", folder=folder), ["kept"])
            offered = self.complete("run", "vivid", "--knowledge", "=", "", folder=folder)
            self.assertEqual(sorted(offered), ["auto", "kept", "off", "read-only"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
