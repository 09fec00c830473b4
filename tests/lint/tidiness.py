#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks what a reader relies on: licence lines, file names, file sizes, white space."""

import pathlib
import re
import sys

MAX_LINES = 400
LICENCE = "SPDX-License-Identifier: LGPL-2.1-or-later"
FOLDERS = ["files", "gst", "gst-libs", "kernels", "scheduler", "model", "pipelines", "tests", "tools", ".ci"]
ROOT_FILES = ["dev", "meson.build", "meson_options.txt"]
SOURCES = {".h", ".hpp", ".c", ".cpp", ".cl", ".py", ".sh", ".build"}
# A file without a suffix is a script when it starts so.
SHEBANG = "#!"
# Folders under kernels/ that are not a kernel.
NOT_A_KERNEL = {"network", "opencl", "program_cache", "stage_file", "util"}
# Kernels without the last two of the five.
CPU_ONLY = {"scene_classifier"}
KERNEL_FILES = ["{}.h", "{}_ref.cpp", "{}_simd.cpp", "{}.cl", "{}_opencl.cpp"]

# Folders in which no function may follow the locale that the host has set.
LOCALE_FREE = {"files", "gst", "gst-libs", "kernels", "scheduler", "model", "pipelines"}
LOCALE_FUNCTIONS = re.compile(
    r"(?<![\w.>])(?:std::)?(tolower|toupper|is(?:alpha|digit|alnum|space|upper|lower|xdigit|punct|print)"
    r"|atof|strto(?:d|f|ld)|sto(?:d|f|ld)|strn?casecmp)\(")


def source_files(root):
    """Yields the sources and scripts under `root` that people write."""
    for name in ROOT_FILES:
        if (root / name).is_file():
            yield root / name
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if not path.is_file() or "__pycache__" in path.parts:
                continue
            if path.suffix in SOURCES or (not path.suffix and is_script(path)):
                yield path


def is_script(path):
    return path.read_bytes().startswith(SHEBANG.encode())


def check_text(text):
    """Returns (line number, problem) pairs for one file's text."""
    lines = text.split("\n")
    found = []
    if not any(LICENCE in line for line in lines[:3]):
        found.append((1, f"the first three lines lack '{LICENCE}'"))
    if text and not text.endswith("\n"):
        found.append((len(lines), "the last line does not end"))
    if len(lines) - 1 > MAX_LINES:
        found.append((MAX_LINES + 1, f"{len(lines) - 1} lines; over {MAX_LINES} is more than one idea"))
    for number, line in enumerate(lines, start=1):
        if "\t" in line:
            found.append((number, "a tab; indent with spaces"))
        if line != line.rstrip():
            found.append((number, "white space at the end of the line"))
    return found


def check_locale(text):
    """Returns (line number, problem) pairs: formats, devices and numbers are the same in every country."""
    for number, line in enumerate(text.split("\n"), start=1):
        if found := LOCALE_FUNCTIONS.search(line.split("//")[0]):
            yield number, f"{found[1]}() follows the host's locale; files/ascii.h and <charconv> do not"


def check_kernel_folder(folder):
    """A kernel has the same five files each time; other files come as .h and .cpp."""
    names = {path.name for path in folder.iterdir() if path.is_file()}
    patterns = KERNEL_FILES[:3] if folder.name in CPU_ONLY else KERNEL_FILES
    five = {pattern.format(folder.name) for pattern in patterns}
    found = [f"{name} is missing: a kernel has the same five files each time"
             for name in sorted(five - names)]
    for name in sorted(names - five):
        if name.startswith(folder.name) and name.endswith("-inl.h"):
            continue  # a part of _simd.cpp, which is compiled once for each target
        if name.startswith(folder.name + "_") and name.endswith(".cl"):
            continue  # a second program of _opencl.cpp
        stem, suffix = pathlib.Path(name).stem, pathlib.Path(name).suffix
        partner = {".h": ".cpp", ".cpp": ".h"}.get(suffix)
        if partner is None or stem + partner not in names:
            found.append(f"{name} is none of the five and has no .h/.cpp partner")
    return found


def check_device_sides(kernels):
    """A build without OpenCL compiles the device side of each kernel, too."""
    for path in sorted(kernels.glob("*/*_opencl.cpp")):
        if "kernels/opencl/native.h" in path.read_text():
            yield f"{path.name} includes kernels/opencl/native.h, which needs OpenCL: kernel.h does not"


def check(root):
    """Returns one line for each untidy place under `root`."""
    found = []
    for path in source_files(root):
        place = path.relative_to(root)
        text = path.read_text()
        problems = check_text(text)
        if place.parts[0] in LOCALE_FREE and path.suffix in {".h", ".cpp"}:
            problems += check_locale(text)
        found += [f"{place}:{number}: {problem}" for number, problem in problems]
    for folder in sorted((root / "kernels").glob("*/")):
        if folder.is_dir() and folder.name not in NOT_A_KERNEL:
            place = folder.relative_to(root)
            found += [f"{place}: {problem}" for problem in check_kernel_folder(folder)]
    found += [f"kernels: {problem}" for problem in check_device_sides(root / "kernels")]
    return found


if __name__ == "__main__":
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or "tidiness: every file is in order")
    sys.exit(1 if problems else 0)
