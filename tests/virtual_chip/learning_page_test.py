#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/learning.md is true: its table of priors is that of the code, and its commands compare two priors.

learning_page_test.py PAGE POLICY_BENCH
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PAGE = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
BENCH = str(pathlib.Path(sys.argv[2]).resolve())


def run(arguments, folder):
    done = subprocess.run([BENCH, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(arguments)}: {done.stderr}")
    return done.stdout


class LearningPageTest(unittest.TestCase):
    def test_the_table_of_priors_is_that_of_the_code(self):
        table = run(["--prior", "help"], ".")
        self.assertIn(table, PAGE, "replace the table by what `policy_bench --prior help` prints")

    def test_the_commands_compare_two_priors(self):
        block = re.search(r"```sh\n(ninja .*?)```", PAGE, re.DOTALL)
        self.assertIsNotNone(block)
        commands = [line.split()[1:] for line in block[1].splitlines() if "policy_bench --" in line]
        self.assertEqual(len(commands), 2)
        with tempfile.TemporaryDirectory() as folder:
            here = [[word.replace("/tmp/", folder + "/") for word in command] for command in commands]
            few = ["--chips", "4", "--jobs", "2"]
            run(here[0] + few, folder)
            compared = run(here[1] + few, folder)
        self.assertIn("new - old on the same chips", compared)
        self.assertIn("| starved-driver | 4 | regret |", compared)

    def test_a_prior_that_does_not_exist_is_refused(self):
        for wrong in ["nobody=1", "beside", "beside=much"]:
            done = subprocess.run([BENCH, "--prior", wrong], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, wrong)
            self.assertIn("--prior", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
