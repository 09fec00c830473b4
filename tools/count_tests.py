#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts test cases over several meson test logs, given as NAME=path/to/testlog.json.

A GoogleTest program counts one for each case, any other test program counts one. A program that
crashes or runs out of time counts one failure more than the cases it still reported. Reasons of
skipped cases are printed: one that begins with "needs" names the package or data that would run them.
"""

import collections
import json
import pathlib
import re
import sys

CASE = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+).*\(\d+ ms\)$", re.MULTILINE)
END_OF_CASES = re.compile(r"\[=+\] .* ran\.")
# Reasons as GoogleTest, Python's unittest and programs that end with status 77 give them.
SKIPPED_CASE = re.compile(r": Skipped\n(.+)$", re.MULTILINE)
SKIPPED_METHOD = re.compile(r"(?:^|\.\.\. )skipped ['\"](.+)['\"]$", re.MULTILINE)
FINE = {"OK", "SKIP", "EXPECTEDFAIL"}
# What ends a program after its last test when LeakSanitizer crashes, as it does now and then where
# threads of other libraries are still there (google/sanitizers issue 1353).
NO_LEAK_CHECK = "LeakSanitizer has encountered a fatal error"
# What a sanitizer found, and the innermost functions that it names.
REPORT = re.compile(r"^(?:WARNING: ThreadSanitizer|==\d+==ERROR|SUMMARY: |\s+#[0-3] |.*: runtime error: ).*$", re.MULTILINE)
MOST_LINES = 24


def count_program(entry):
    """Returns the names of the cases that passed, failed and were skipped in one test program."""
    cases = {"OK": [], "FAILED": [], "SKIPPED": []}
    for result, name in CASE.findall(entry.get("stdout") or ""):
        cases[result].append(f"{entry['name']}: {name}")
    if entry["result"] not in FINE and not cases["FAILED"] and not lacks_leak_check(entry):
        cases["FAILED"].append(f"{entry['name']}: {entry['result'].lower()}, exit status {entry['returncode']}")
    if not any(cases.values()):
        cases["SKIPPED" if entry["result"] == "SKIP" else "OK"].append(entry["name"])
    cases["SKIPPED"] += [f"{entry['name']}: {reason}" for reason in SKIPPED_METHOD.findall(entry.get("stderr") or "")]
    return cases["OK"], cases["FAILED"], cases["SKIPPED"]


def lacks_leak_check(entry):
    """Whether all cases passed and only the search for leaks afterwards did not work."""
    return "[  PASSED  ]" in (entry.get("stdout") or "") and NO_LEAK_CHECK in (entry.get("stderr") or "")


def reasons_of(entry):
    """Returns why cases of one test program were skipped, a reason each."""
    stdout, stderr = entry.get("stdout") or "", entry.get("stderr") or ""
    reasons = SKIPPED_CASE.findall(stdout) + SKIPPED_METHOD.findall(stderr)
    if entry["result"] == "SKIP" and not reasons:
        reasons = (stdout.strip() or "no reason given").splitlines()[-1:]
    return reasons


def tell_reasons(reasons):
    """Prints each reason once: first what is missing, then what does not apply."""
    for title, missing in (("to run the skipped tests, provide", True), ("skipped, as it does not apply", False)):
        rows = [(reason, count) for reason, count in reasons.most_common() if reason.startswith("needs ") == missing]
        if rows:
            print(f"{title}:")
        for reason, count in rows:
            print(f"  {count:5} x {reason.removeprefix('needs ')}")


def output_of_failed_cases(stdout):
    """Returns the lines of the GoogleTest cases that failed or did not end; all lines of another program."""
    lines, case = [], []
    for line in stdout.splitlines():
        if END_OF_CASES.match(line):
            return lines
        case = [line] if line.startswith("[ RUN ") else [*case, line]
        if line.startswith("[  FAILED  ]"):
            lines += case
        if CASE.match(line):
            case = []
    return lines + case


def report_of(entry):
    """Returns what a program that failed printed of its fault: a fault may not come again."""
    if entry["result"] in FINE:
        return []
    stdout, stderr = entry.get("stdout") or "", entry.get("stderr") or ""
    found = REPORT.findall(stderr)
    return found[:MOST_LINES] or output_of_failed_cases(stdout)[-MOST_LINES:] + stderr.splitlines()[-MOST_LINES:]


def count_log(run, path, reasons):
    """Returns (how many passed, what failed, how many were skipped) for one log, prints its line, adds to `reasons`."""
    if not path.is_file() or not path.stat().st_size:
        return 0, [f"{run}: the build failed, no test ran"], 0
    passed, failed, skipped = [], [], []
    for line in filter(str.strip, path.read_text().splitlines()):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            entry = {"name": path.name, "result": "ERROR", "returncode": "unknown: the log is cut off"}
        for total, part in zip((passed, failed, skipped), count_program(entry)):
            total += part
        if lacks_leak_check(entry):
            print(f"{run}: LeakSanitizer crashed behind {entry['name']}: leaks were not looked for there")
        reasons.update(reasons_of(entry))
        for line in report_of(entry):
            print(f"{entry['name']}: {line}")
    print(f"{run:8} {len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return len(passed), [f"{run}: {name}" for name in failed], len(skipped)


def main(arguments):
    print()
    reasons = collections.Counter()
    counts = [count_log(name, pathlib.Path(path), reasons) for name, path in (a.split("=", 1) for a in arguments)]
    tell_reasons(reasons)
    # The names come last, as people and machines often keep only the end of a log.
    failures = [name for _, failed, _ in counts for name in failed]
    for name in failures:
        print(f"FAILED {name}")
    passed, failed, skipped = sum(count[0] for count in counts), len(failures), sum(count[2] for count in counts)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
