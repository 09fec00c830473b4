# SPDX-License-Identifier: LGPL-2.1-or-later
"""Our stages take from the library what other stages can have: functions in C. In C++ they take OpenCL's objects and
the cache of programs alone, which a process has once: its warnings come once.
usage: stages_test.py LIBRARY OBJECTS..."""
import subprocess
import sys


def names(*arguments):
    """Symbols as the linker knows them."""
    table = subprocess.run(["nm", *arguments], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in table.splitlines() if len(line.split()) > 1}


def readable(symbols):
    text = "\n".join(sorted(symbols))
    return subprocess.run(["c++filt"], input=text, capture_output=True, text=True, check=True).stdout.splitlines()


library, *objects = sys.argv[1:]
offered = names("--dynamic", "--defined-only", library)
here = set().union(*(names("--defined-only", archive) for archive in objects))
wanted = set().union(*(names("--undefined-only", archive) for archive in objects)) - here
taken = readable(wanted & offered)
private = [name for name in taken if not name.startswith("gst_")]
assert len(taken) - len(private) > 25, taken
shared = ("tandem::opencl::", "tandem::ProgramCache::")
others = [name for name in private if not any(one in name.split("(")[0] for one in shared)]
assert not others, "\n".join(others)
print(f"{len(taken) - len(private)} functions in C; in C++:", *private, sep="\n  ")
