# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library has every function that it had, and the sizes of its structures are what they were.
usage: abi_test.py LIBRARY SYMBOLS SIZES_BEFORE SIZES_NOW"""
import pathlib
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


library, symbols, before, now = sys.argv[1:]
table = output_of("readelf", "--dyn-syms", "--wide", library)
there = {word.split("@")[0] for line in table.splitlines() for word in line.split() if word.endswith("@@GSTTANDEM_1.0")}
frozen = set(pathlib.Path(symbols).read_text().split("\n")) - {""}
frozen = {name for name in frozen if not name.startswith("#")}
assert len(frozen) > 30, frozen
assert frozen <= there, f"gone: {sorted(frozen - there)}"
sizes = [output_of(program) for program in (before, now)]
assert sizes[0] == sizes[1] and len(sizes[0].splitlines()) > 15, sizes
print(f"{len(frozen)} functions, {len(sizes[0].splitlines())} sizes and places as they were")
