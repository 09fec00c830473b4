# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every command of docs/own-stages.md in an empty folder. usage: own_stages_test.py FOLDER_OF_TANDEM"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from page import blocks

PAGE = "docs/own-stages.md"
PATIENCE_SECONDS = 150
COMMANDS = sys.argv.pop()


class OwnStages(unittest.TestCase):
    def test_every_command(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"PATH": COMMANDS + ":" + os.environ["PATH"],
                                        "TANDEM_CACHE_DIR": folder + "/cache"}
            commands = [text for _, language, text in blocks(PAGE) if language == "sh"]
            self.assertEqual(len(commands), 3)
            for command in commands:
                done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, text=True,
                                      capture_output=True, timeout=PATIENCE_SECONDS, check=False)
                self.assertEqual(done.returncode, 0, command + done.stdout + done.stderr)
                self.assertNotIn("WARNING", done.stderr)
            picture = pathlib.Path(folder, "brighter.png").read_bytes()
            self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main()
