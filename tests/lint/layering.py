#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that includes point one way: pipelines -> gst -> gst-libs -> scheduler, kernels -> model, files."""

import pathlib
import re
import sys

# Which of the project's own folders a folder may include, besides itself.
ALLOWED = {
    "model": set(),
    "files": set(),
    "scheduler": {"model", "files"},
    "kernels": {"files"},
    "gst-libs": {"scheduler", "model", "kernels", "files"},
    "gst": {"gst-libs", "scheduler", "model", "kernels", "files"},
    "pipelines": {"gst", "gst-libs", "scheduler", "model", "kernels", "files"},
    "tests": {"gst", "gst-libs", "scheduler", "model", "kernels", "files", "pipelines"},
}
# Folders inside one of them that do not know each other: what is learnt rests on the times of frames
# alone, and how frames pass does not depend on what is learnt. The bin sees stages through their base class.
STRANGERS = [("scheduler/learn", "scheduler/flow"), ("scheduler/flow", "scheduler/learn"),
             *((one, other) for folder in ("elements", "json", "overlay", "publish", "track")
               for one, other in [("gst/bin", f"gst/{folder}"), (f"gst/{folder}", "gst/bin")])]
MAY_USE_GSTREAMER = {"gst", "gst-libs", "pipelines", "tests"}
GSTREAMER = re.compile(r"(gst/|glib|gio/|gobject/|gmodule)")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SUFFIXES = {".h", ".hpp", ".cpp", ".c", ".cl"}
# The library's headers are included as its users include them.
LIBRARY = "gst/tandem/"


def check_include(path, bracket, target):
    """Returns what is wrong with one include of the file `path`, or None."""
    folder = path.parts[0]
    if bracket == "<":
        if GSTREAMER.match(target) and folder not in MAY_USE_GSTREAMER:
            return f"includes <{target}>: only {', '.join(sorted(MAY_USE_GSTREAMER))} may use GStreamer"
        if not target.startswith(LIBRARY):
            return None
        target = f"gst-libs/{target}"
    elif target.startswith(LIBRARY):
        return f'includes "{target}": write <{target}>'
    if target.startswith("."):
        return f'includes "{target}": write the path from the root of the project'
    for one, other in STRANGERS:
        if path.is_relative_to(one) and target.startswith(other + "/"):
            return f'includes "{target}": {one}/ and {other}/ do not know each other'
    first = target.split("/")[0]
    if first in ALLOWED and first != folder and first not in ALLOWED[folder]:
        return f'includes "{target}": {folder}/ may not depend on {first}/'
    return None


def check_sources(root):
    """Yields one line for each source that a library compiles from a folder which is not its own."""
    for folder in ALLOWED.keys() - {"tests"}:
        for path in sorted((root / folder).rglob("meson.build")):
            for number, line in enumerate(path.read_text().splitlines(), start=1):
                if source := re.search(r"'(\.\./[^']+\.(?:cpp|c))'", line):
                    other = (path.parent / source[1]).resolve().relative_to(root.resolve()).parts[0]
                    if other not in {folder, "tests"}:
                        yield f"{path.relative_to(root)}:{number}: compiles '{source[1]}', a source of {other}/"


def check(root):
    """Returns one line for each include under `root`, or source in meson.build, that points the wrong way."""
    found = list(check_sources(root))
    for folder in ALLOWED:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            for number, line in enumerate(path.read_text().splitlines(), start=1):
                match = INCLUDE.match(line)
                problem = match and check_include(path.relative_to(root), match[1], match[2])
                if problem:
                    found.append(f"{path.relative_to(root)}:{number}: {problem}")
    return found


if __name__ == "__main__":
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or "layering: every include points the right way")
    sys.exit(1 if problems else 0)
