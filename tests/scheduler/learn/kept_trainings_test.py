#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trainings of real machines, replayed with the trials of this build, choose well.

kept_trainings_test.py REPLAY_BENCH FOLDER
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BENCH, FOLDER = sys.argv[1:3]
# By this build 0.993 and 0.83 or more. Of near equals either may be chosen.
MEAN, LEAST = 0.98, 0.75


def row_of_all(folder):
    # Knowledge is read from folders that nobody else can write to.
    with tempfile.TemporaryDirectory() as own:
        copy = pathlib.Path(own) / "trainings"
        shutil.copytree(folder, copy)
        for each in [copy, *copy.rglob("*")]:
            each.chmod(0o700 if each.is_dir() else 0o600)
        done = subprocess.run([BENCH, str(copy), "--seeds", "5"], capture_output=True, text=True, timeout=200, check=False)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(done.stderr or "replay_bench failed")
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in done.stdout.splitlines()]
    return len(rows), next(row for row in rows if row[0] == "all")


class KeptTrainingsTest(unittest.TestCase):
    def test_choices_are_near_the_fastest_that_ran(self):
        for machine in sorted(pathlib.Path(FOLDER).glob("*/")):
            with self.subTest(machine.name):
                rows, (_, mean, least, _, _, not_made) = row_of_all(machine)
                self.assertEqual(rows, 3 + len(list(machine.rglob("*.json"))))
                self.assertGreaterEqual(float(mean), MEAN)
                self.assertGreaterEqual(float(least), LEAST)
                self.assertEqual(int(not_made), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
