# SPDX-License-Identifier: LGPL-2.1-or-later
"""A file that is kept as text (gzip, base64), as it was. usage: decode.py TEXT FILE"""
import base64
import gzip
import pathlib
import sys

text, binary = map(pathlib.Path, sys.argv[1:])
lines = [line for line in text.read_text().splitlines() if not line.startswith("#")]
binary.write_bytes(gzip.decompress(base64.b64decode("".join(lines))))
