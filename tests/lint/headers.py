#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compiles each header of the project alone, with the compiler and the include folders of a build.

A header that lacks an include compiles behind another header that has it, until a compiler comes whose own headers
include less: GCC 14 reports what GCC 12 hides. Left out are -inl.h files, which a source includes once for each SIMD
target, and headers of optional packages (OPTIONAL) that the machine lacks.

Several headers share a compilation (Headers.units), in an order in which none sees more than it includes itself. If
that fails, each of them is compiled by itself.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

FOLDERS = ["files", "gst", "gst-libs", "kernels", "scheduler", "model", "pipelines", "tests", "tools"]
# Public headers, which programs in C include too.
ALSO_C = "gst-libs/"
# Headers of packages that a build may lack (meson_options.txt).
OPTIONAL = ("CL/", "clang-c/", "hiredis/", "mosquitto.h", "openssl/")

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# Types, macros, constants (kName), and functions that begin at the margin.
DEFINED = re.compile(r"\b(?:class|struct|enum|union|concept|using|define)\s+(?:class\s+)?(\w+)|\b(k[A-Z]\w*)|"
                     r"^\S[^;\n]*?\b(\w+)\(", re.MULTILINE)
MISSING = re.compile(r"fatal error: '?([^':]+)'?(?:: No such file| file not found)")


class Compiler:
    """The compiler of a build, with every include folder and definition that one of its commands has."""

    def __init__(self, build):
        self.folder = build
        found = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            words = iter(shlex.split(entry["command"]))
            self.name = next(word for word in words if "ccache" not in word)
            for word in words:
                if word in ("-isystem", "-I"):
                    found[word, next(words)] = None
                elif word.startswith(("-I", "-D", "-isystem", "-std=", "-pthread")):
                    found[word,] = None
        self.words = [word for words in found for word in words]

    def said(self, paths, language="c++"):
        """Returns what the compiler says of a source that includes `paths` in turn: "" if it compiles."""
        words = [word for word in self.words if language != "c" or not word.startswith("-std=")]
        done = subprocess.run([self.name, *words, "-w", "-fsyntax-only", "-x", language, "-"], capture_output=True,
                              text=True, cwd=self.folder, input="".join(f'#include "{path}"\n' for path in paths))
        return (done.stderr or "it does not compile") if done.returncode else ""


class Headers:
    """The headers under a folder, what each includes, and what it defines."""

    def __init__(self, root):
        self.root = root
        paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.h"))]
        self.names = [str(path.relative_to(root)) for path in paths if not path.name.endswith("-inl.h")]
        texts = {name: COMMENT.sub("", (root / name).read_text()) for name in self.names}
        self.includes = {name: INCLUDE.findall(text) for name, text in texts.items()}
        self.words = {name: set(re.findall(r"\w+", text)) for name, text in texts.items()}
        self.defines = {name: {word for words in DEFINED.findall(text) for word in words if word}
                        for name, text in texts.items()}
        self.reached = {}

    def reach(self, name):
        """Returns two sets: the project's headers that a header sees, itself among them, and those of others."""
        if name not in self.reached:
            self.reached[name] = own, others = {name}, set()
            for include in self.includes[name]:
                beside = str(pathlib.PurePath(name).parent / include)
                path = next((path for path in (include, beside, "gst-libs/" + include) if path in self.includes), None)
                more = self.reach(path) if path else (set(), {include})
                own |= more[0]
                others |= more[1]
        return self.reached[name]

    def units(self):
        """Returns lists of headers, each to be compiled as one.

        A header joins a unit if it includes every header of other projects that the unit has seen. It must use no name
        that a header of this project defines, if the unit has seen that header and it does not include it.
        """
        size = {name: tuple(len(one) for one in reversed(self.reach(name))) for name in self.names}
        units = []
        for name in sorted(self.names, key=lambda name: (size[name], name)):
            own, others = self.reach(name)
            fitting = [unit for unit in units if unit["others"] <= others and
                       not any(self.words[name] & self.defines[seen] for seen in unit["own"] - own)]
            if fitting:
                unit = max(fitting, key=lambda unit: len(unit["others"]))
            else:
                unit = {"own": set(), "others": set(), "names": []}
                units.append(unit)
            unit["own"] |= own
            unit["others"] |= others
            unit["names"].append(name)
        return [unit["names"] for unit in units]


def check_unit(compiler, root, names):
    """Returns (header, what the compiler says) for each header of a unit that does not compile alone."""
    found = []
    alone = compiler.said([root / name for name in names]) != ""
    for name in names:
        said = compiler.said([root / name]) if alone else ""
        if not said and name.startswith(ALSO_C) and "/private/" not in name:
            said = compiler.said([root / name], "c")
        if said:
            found.append((name, said))
    return found


def check(root, compiler):
    """Returns the headers under `root`, those left out, and (header, what the compiler says) of those that fail."""
    headers = Headers(root)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # The longest units are the last.
        done = [pool.submit(check_unit, compiler, root, names) for names in reversed(headers.units())]
        failed = sorted(sum((one.result() for one in done), []))
    missing = {name: MISSING.search(said) for name, said in failed}
    left_out = [name for name in missing if missing[name] and missing[name][1].startswith(OPTIONAL)]
    return headers.names, left_out, [one for one in failed if one[0] not in left_out]


def main():
    root, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    names, left_out, failed = check(root, Compiler(build))
    for name, said in failed:
        print(f"{name} does not compile alone:\n{said}")
    if left_out:
        print("left out, because an optional package is not installed: " + ", ".join(left_out))
    print(f"headers: {len(names) - len(left_out) - len(failed)} of {len(names)} compile alone")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
