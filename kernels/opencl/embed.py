# SPDX-License-Identifier: LGPL-2.1-or-later
"""Turns an OpenCL C file into a header with one C++ string: embed.py INPUT OUTPUT NAME."""
import sys

source, header, name = sys.argv[1:]
text = open(source, encoding="utf-8").read()
with open(header, "w", encoding="utf-8") as out:
    out.write("#pragma once\n")
    out.write(f'inline constexpr char {name}[] = R"__cl__({text})__cl__";\n')
