#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that docs/constants.md lists each tuned constant of the policy and the model, with its value, file and range.

usage: constants.py ROOT

A tuned constant is any `constexpr ... kName` of FOLDERS but those in NOT_TUNED and those of functions' parameters.
"""

import pathlib
import re
import sys

FOLDERS = ["scheduler/learn", "model"]
PAGE = "docs/constants.md"
TEST = "tests/lint/constants.py"
RANGES = "tests/virtual_chip/ranges.py"
# May only become less: a new constant takes the place of another one.
MOST = 113

NOT_TUNED = {
    "sizes of types and buffers, and the bounds of a percentage":
        "kLeastShare kMostShare "
        "kMaxStages kMaxLetters kMaxLanes kMaxDevices kMaxTasks kOneLane kLowBits kSplitBits kSize kTerms "
        "kMeetsAll kSpentOn kFirstBit kLastBit kSubBits kCandidateInputs kMostWaiting",
    "mathematics, what doubles or printed texts tell apart, and numbers that are none":
        "kSigmasPerDeviation kInfinity kUnknown kNoCost kLeastVariance kEqual kSmall",
    "texts, and versions and names of file formats":
        "kSideLetters kLookIsDue kNames kKnowledgeSchema kKnowledgeEnding "
        "kBadKnowledgeEnding kLock kKindWords kDomainWords kMetricWords kGranularityWords",
    "bounds of numbers in files, beyond which a file is damaged":
        "kAmount kSigned kTime kMostCores kMostPixels kMostFrames kMostWindow kMostObservations kMostEntries "
        "kMostText kMostKnowledgeFileBytes",
}

DECLARATION = re.compile(r"\bconstexpr\s[^;={(]*?[\s*&](k[A-Z]\w*[^;]*);")
ROW = re.compile(r"\| `(k\w+)` \| ([^|]+) \|(?: ([\d.?-]+) \|)? [^|]+ \| (?:(\S+) )?\|$")
# As RANGES prints it.
RANGE = re.compile(r"-|(0\.5|1)-(1|2)")


def declarators(text):
    """Splits `kA = 1, kB{2, 3}` at the commas outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "{([") - (letter in "})]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def constants_of(text):
    """Yields (name, value) of each constant of a source."""
    text = re.sub(r"//[^\n]*", "", text)
    for declaration in DECLARATION.finditer(text):
        for one in declarators(declaration[1]):
            name, value = re.match(r"\s*(\w+)\s*(?:\[\w*\])?\s*=?(.*)$", one, re.DOTALL).groups()
            yield name, " ".join(value.split())


def in_the_code(root):
    """Returns {(file, name): value}, and the names in NOT_TUNED that no constant has."""
    found, unused = {}, set(" ".join(NOT_TUNED.values()).split())
    not_tuned = set(unused)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".h", ".cpp"}:
                continue
            for name, value in constants_of(path.read_text(encoding="utf-8")):
                unused.discard(name)
                if name not in not_tuned:
                    found[path.relative_to(root).as_posix(), name] = value
    return found, unused


def on_the_page(text):
    """Returns {(file, name): (value and unit, range)}. A row without a file is of the file above it."""
    found, file = {}, ""
    for line in text.splitlines():
        if row := ROW.match(line):
            file = re.sub("^learn/", "scheduler/learn/", row[4]) if row[4] else file
            found[file, row[1]] = row[2], row[3] or ""
    return found


def check(root):
    """Returns a line for each fault, and the number of constants."""
    page = on_the_page((root / PAGE).read_text(encoding="utf-8"))
    code, unused = in_the_code(root)
    gone = page.keys() - code.keys()
    faults = [f"{PAGE}: remove the row of `{name}` in {file}: no such constant" for file, name in gone]
    for (file, name), value in code.items():
        if (file, name) not in page:
            faults.append(f"{PAGE}: add | `{name}` | {value} UNIT | RANGE | PURPOSE | {file} |")
            continue
        written, span = page[file, name]
        if not written.startswith(f"{value} "):
            faults.append(f"{PAGE}: `{name}` in {file} is {value}, the row has {written}: measure its range anew")
        if not RANGE.fullmatch(span):
            faults.append(f"{PAGE}: `{name}` in {file} has the range '{span}': write what {RANGES} prints")
    faults += [f"{TEST}: remove {name} from NOT_TUNED: no such constant" for name in unused]
    if len(code) != MOST:
        todo = "remove a constant" if len(code) > MOST else f"lower MOST to {len(code)}"
        faults.append(f"{TEST}: {len(code)} constants, at most {MOST}: {todo}")
    return sorted(faults), len(code)


if __name__ == "__main__":
    problems, count = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or f"constants: {PAGE} has all {count}")
    sys.exit(1 if problems else 0)
