#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a test program on graphs that a script writes: `with_graphs.py PROGRAM SCRIPT ARGUMENTS...`.

The script gets a folder before its arguments, the program finds it in TANDEM_GRAPHS. Exit status 77: skipped.
"""

import os
import subprocess
import sys
import tempfile

program, script, *arguments = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    made = subprocess.run([sys.executable, "-B", "-W", "ignore", script, folder, *arguments])
    if made.returncode:
        sys.exit(made.returncode)
    sys.exit(subprocess.run([program], env=os.environ | {"TANDEM_GRAPHS": folder}).returncode)
