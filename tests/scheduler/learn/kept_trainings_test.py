#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trainings of real machines, replayed with the trials of this build, choose well, also where a sweep has all rates.

kept_trainings_test.py REPLAY_BENCH FOLDER
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BENCH, FOLDER = sys.argv[1:3]
SWEEP = "sweep.json"
# By this build 0.991 and 0.83 or more. Either of near equals may be chosen.
MEAN, LEAST = 0.98, 0.75


def row_of_all(folder, change=None):
    """Replays a copy of the folder; `change` is called with the copy before. Returns the number of lines and the last row."""
    # Knowledge is read from folders that nobody else can write to.
    with tempfile.TemporaryDirectory() as own:
        copy = pathlib.Path(own) / "trainings"
        shutil.copytree(folder, copy)
        if change:
            change(copy)
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
                trainings = [path for path in machine.rglob("*.json") if path.name != SWEEP]
                self.assertEqual(rows, 3 + len(trainings))
                self.assertGreaterEqual(float(mean), MEAN)
                self.assertGreaterEqual(float(least), LEAST)
                self.assertEqual(int(not_made), 0)

    def test_choices_are_compared_with_all_rates_of_a_sweep(self):
        def lift_one(folder):
            sweep = json.loads((folder / SWEEP).read_text())
            slowest = min(sweep["configurations"], key=lambda one: one["throughput_fps"])
            slowest["throughput_fps"] = 10 * sweep["best"]["throughput_fps"]
            (folder / SWEEP).write_text(json.dumps(sweep))

        swept = next(pathlib.Path(FOLDER).glob(f"*/tracking-320x240/{SWEEP}")).parent
        self.assertGreaterEqual(float(row_of_all(swept)[1][1]), 0.9)
        self.assertLess(float(row_of_all(swept, lift_one)[1][1]), 0.2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
