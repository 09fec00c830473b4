# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every command of a page that leads to a picture, in an empty folder.
usage: picture_page_test.py PAGE PICTURE FOLDER_OF_TANDEM"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from page import blocks

PATIENCE_SECONDS = 150
PAGE, PICTURE, COMMANDS = sys.argv[1:]


class PicturePage(unittest.TestCase):
    def test_every_command(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"PATH": COMMANDS + ":" + os.environ["PATH"],
                                        "TANDEM_CACHE_DIR": folder + "/cache"}
            commands = [text for _, language, text in blocks(PAGE) if language == "sh"]
            self.assertGreaterEqual(len(commands), 3)
            for command in commands:
                done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, text=True,
                                      capture_output=True, timeout=PATIENCE_SECONDS, check=False)
                self.assertEqual(done.returncode, 0, command + done.stdout + done.stderr)
                self.assertNotIn("WARNING", done.stderr)
            picture = pathlib.Path(folder, PICTURE).read_bytes()
            self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
