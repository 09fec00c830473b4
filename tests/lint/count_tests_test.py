#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows that the count of tests misses no failure, on made-up logs."""

import collections
import contextlib
import io
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

    def test_skipped_methods_of_unittest_count(self):
        log = "test_mqtt (page.Page.test_mqtt) ... skipped 'needs mosquitto'\ntest_tcp (page.Page.test_tcp) ... ok\n"
        self.assertEqual(count("OK", "", log), (1, 0, 1))

    def test_each_skipped_test_has_its_reason(self):
        def reasons(result, stdout, stderr=""):
            return count_tests.reasons_of({"name": "blur", "result": result, "stdout": stdout, "stderr": stderr})

        case = "[ RUN      ] A.B\n../blur.cpp:3: Skipped\nneeds pocl\n\n[  SKIPPED ] A.B (0 ms)\n"
        self.assertEqual(reasons("OK", case + case), ["needs pocl", "needs pocl"])
        self.assertEqual(reasons("OK", "", "test_a (b.C.test_a)\nA page. ... skipped \"needs man's pages\"\n"),
                         ["needs man's pages"])
        self.assertEqual(reasons("SKIP", "needs python3-gi\n"), ["needs python3-gi"])
        self.assertEqual(reasons("SKIP", ""), ["no reason given"])
        self.assertEqual(reasons("OK", PASSED), [])

    def test_what_is_missing_is_told_before_what_does_not_apply(self):
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            count_tests.tell_reasons(collections.Counter({"a GPU": 3, "needs redis-server": 1, "needs pocl": 2}))
        self.assertEqual(told.getvalue().split("\n"), [
            "to run the skipped tests, provide:", "      2 x pocl", "      1 x redis-server",
            "skipped, as it does not apply:", "      3 x a GPU", ""])

    def test_what_failed_cases_printed_is_told(self):
        def told(stdout, stderr=""):
            return count_tests.report_of(
                {"name": "blur", "result": "FAIL", "returncode": 1, "stdout": stdout, "stderr": stderr})

        passed = "[ RUN      ] A.Passes\nnoise\n[       OK ] A.Passes (3 ms)\n"
        failed = "[ RUN      ] A.Fails\nblur.cpp:3: Failure\n[  FAILED  ] A.Fails (3 ms)\n"
        end = "[==========] 2 tests from 1 test suite ran. (6 ms total)\n[  FAILED  ] A.Fails\n"
        crashed = "[ RUN      ] A.Crashes\n"
        self.assertEqual(told(passed + failed + passed + end), failed.splitlines())
        self.assertEqual(told(passed + crashed, "killed\n"), ["[ RUN      ] A.Crashes", "killed"])
        self.assertEqual(told("no command gst-launch-1.0\n"), ["no command gst-launch-1.0"])
        self.assertEqual(len(told("line\n" * 1000)), count_tests.MOST_LINES)

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
