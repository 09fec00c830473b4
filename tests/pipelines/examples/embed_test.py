# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs an example that embeds tandembin, made in one of its two ways; it must end well and tell what
was decided. usage: embed_test.py WAY PROGRAM [ARGUMENT...]"""
import subprocess
import sys

SKIPPED = 77


def main():
    way, program = sys.argv[1], sys.argv[2:]
    if program[-1].endswith(".py"):
        # Debian's bindings belong to Debian's Python, which need not be the first in the path.
        found = [python for python in ("python3", "/usr/bin/python3")
                 if subprocess.run([python, "-c", "import gi; gi.require_version('Gst', '1.0')"],
                                   stderr=subprocess.DEVNULL).returncode == 0]
        if not found:
            print("needs python3-gi and gir1.2-gstreamer-1.0")
            return SKIPPED
        program = [found[0], *program]
    result = subprocess.run([*program, way], capture_output=True, text=True, timeout=100)
    print(result.stdout, result.stderr)
    assert result.returncode == 0, f"ended with {result.returncode}"
    lines = result.stdout.splitlines()
    assert lines[0].startswith("caps: ccc/"), "the first decision is about the caps"
    # The objective was changed in between: it needs energy, which this machine may not tell.
    assert any(line.startswith(("objective: ", "warning: ")) for line in lines[1:]), lines
    assert lines[-1].startswith("ran as ccc/"), lines[-1]
    return 0


sys.exit(main())
