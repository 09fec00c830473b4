# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the commands of docs/live.md; a live picture stands in for the webcam, and a sink for the display that
waits for each frame's time as it does. usage: live_test.py"""
import unittest

from page_commands import PageCommands, test_suite


class Live(PageCommands):
    page = "docs/live.md"

    def adapt(self, text):
        return super().adapt(text).replace("autovideosink", "fakesink sync=true")

    def test_answers_in_time(self):
        # A machine that is busy with other tests may not keep the time, and says so.
        late = "No configuration meets target-latency"
        lines = self.run_block("Answers in time").splitlines()
        self.assertEqual([line for line in lines if "WARNING" in line and late not in line], [])


def load_tests(loader, _tests, _pattern):
    return test_suite(loader, Live)


if __name__ == "__main__":
    unittest.main()
