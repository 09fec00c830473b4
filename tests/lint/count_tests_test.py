#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows that the count of tests misses no failure, on made-up logs."""

import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tools"))
import count_tests

PASSED = "[       OK ] Blur.Works (3 ms)\n[  PASSED  ] 1 test.\n"
FAILED = "[       OK ] Blur.Works (3 ms)\n[  FAILED  ] Blur.IsFast (4 ms)\n[  PASSED  ] 1 test.\n"
LEAK = "ERROR: LeakSanitizer: detected memory leaks\n"
NO_LEAK_CHECK = "Tracer caught signal 11\n==1==LeakSanitizer has encountered a fatal error.\n"


def count(result, stdout, stderr=""):
    return tuple(map(len, count_tests.count_program(
        {"name": "blur", "result": result, "returncode": 1, "stdout": stdout, "stderr": stderr})))


class CountTests(unittest.TestCase):
    def test_counts_cases(self):
        self.assertEqual(count("OK", PASSED), (1, 0, 0))
        self.assertEqual(count("FAIL", FAILED), (1, 1, 0))

    def test_a_program_without_cases_is_one(self):
        self.assertEqual(count("OK", "fine\n"), (1, 0, 0))
        self.assertEqual(count("FAIL", "wrong\n"), (0, 1, 0))
        self.assertEqual(count("SKIP", ""), (0, 0, 1))

    def test_an_end_that_is_no_case_fails(self):
        self.assertEqual(count("FAIL", PASSED, LEAK), (1, 1, 0))
        self.assertEqual(count("TIMEOUT", "[       OK ] Blur.Works (3 ms)\n"), (1, 1, 0))

    def test_a_leak_check_that_crashes_is_no_leak(self):
        self.assertEqual(count("FAIL", PASSED, NO_LEAK_CHECK), (1, 0, 0))
        self.assertEqual(count("FAIL", FAILED, NO_LEAK_CHECK), (1, 1, 0))
        self.assertEqual(count("FAIL", "[       OK ] Blur.Works (3 ms)\n", NO_LEAK_CHECK), (1, 1, 0))

    def test_what_a_sanitizer_found_is_told(self):
        race = ("WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 8 at 0x7b by thread T2:\n"
                "    #0 blur blur.cpp:3 (blur_test+0x1)\n    #9 main blur.cpp:9\n"
                "SUMMARY: ThreadSanitizer: data race blur.cpp:3 in blur\n")
        entry = {"name": "blur", "result": "FAIL", "returncode": 66, "stderr": race}
        self.assertEqual(count_tests.report_of(entry), [
            "WARNING: ThreadSanitizer: data race (pid=1)", "    #0 blur blur.cpp:3 (blur_test+0x1)",
            "SUMMARY: ThreadSanitizer: data race blur.cpp:3 in blur"])
        self.assertEqual(count_tests.report_of({**entry, "result": "OK"}), [])


if __name__ == "__main__":
    unittest.main()
