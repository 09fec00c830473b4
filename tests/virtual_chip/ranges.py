#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints by which factors a prior or a constant may change before regret or training time differ.

usage: ranges.py BUILD [--chips N] [--families A,B] NAME...

NAME is a prior of `policy_bench --prior help` or a constant of docs/constants.md, with its file where two have the
name: model/estimator.h:kWeight. Each is halved and doubled on the same chips: N of each family, four times as many of
`plain`. The family plain/latency has plain chips, judged by that metric. A constant is edited in the sources of BUILD,
which belongs to a scratch clone, and policy_bench is built anew; the source is restored afterwards.

    0.5-2      nothing differs beyond 3 standard errors
    1-2        less than the value differs
    -          no chip of these families depends on it
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lint"))
import constants  # noqa: E402

FACTORS = {0.5: "({}) / 2", 2: "({}) * 2"}
SIGMAS = 3  # of some twenty differences at once
ROW = re.compile(r"\| \S+ \| \d+ \| (regret|training, s) \| (\S+) \((\S+)\) \|.*\| (\d+), (\d+) \|")


class Bench:
    def __init__(self, options, folder):
        self.build, self.folder = options.build, folder
        self.sizes = {family: options.chips * (4 if family == "plain" else 1) for family in options.families.split(",")}

    def print(self, *arguments):
        command = [str(self.build / "tests/virtual_chip/policy_bench"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def run(self, family, option, *arguments):
        """`option`: --csv, or --against what --csv wrote."""
        name, _, metric = family.partition("/")
        return self.print("--families", name, "--metric", metric or "throughput", "--chips", str(self.sizes[family]),
                          option, f"{self.folder}/{name}{metric}.csv", *arguments)

    def compare(self, *arguments):
        """Returns whether any chip differs, and what differs by more than chance."""
        any_chip, found = False, []
        for family in self.sizes:
            for figure, mean, error, less, more in ROW.findall(self.run(family, "--against", *arguments)):
                any_chip |= less != "0" or more != "0"
                if abs(float(mean)) > SIGMAS * float(error):
                    found.append(f"{family} {figure} {mean}")
        return any_chip, found

    def with_constant(self, found, pattern):
        """The same with another value in the source."""
        file, name, value = found
        path, ninja = ROOT / file, ["ninja", "-C", str(self.build), "tests/virtual_chip/policy_bench"]
        source = path.read_text(encoding="utf-8")
        scaled = ", ".join(pattern.format(one.strip()) for one in value.strip("{}").split(","))
        scaled = f"{{{scaled}}}" if value.startswith("{") else scaled
        literal = re.escape(value).replace(r"\ ", r"\s+")
        try:
            path.write_text(re.sub(rf"(\b{name}\b[^;,=]*?=?\s*){literal}", rf"\g<1>{scaled}", source, count=1), "utf-8")
            subprocess.run(ninja, check=True, capture_output=True)
            return self.compare()
        finally:
            path.write_text(source, "utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--chips", type=int, default=60)
    parser.add_argument("--families", default="plain,plain/efficiency,plain/latency,many-cores,starved-driver,"
                        "long-frames,device-of-cores,serial,drift,eight-lanes,intervals,other-size,slower")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    of_constants = {}
    for (file, name), value in constants.in_the_code(ROOT)[0].items():
        of_constants[name] = of_constants[f"{file}:{name}"] = file, name, value
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        priors = dict(re.findall(r"\| `(\w+)` \| (\S+) \|", bench.print("--prior", "help")))
        for family in bench.sizes:
            bench.run(family, "--csv")
        for name in options.names:
            ends, reached, why = [], False, []
            for factor, pattern in FACTORS.items():
                if name in priors:
                    any_chip, found = bench.compare("--prior", f"{name}={factor * float(priors[name])}")
                else:
                    any_chip, found = bench.with_constant(of_constants[name], pattern)
                reached |= any_chip
                ends.append(1 if found else factor)
                why += [f"x{factor}: {one}" for one in found]
            print(f"{name} | {f'{ends[0]}-{ends[1]}' if reached else '-'} | {'; '.join(why)}", flush=True)


if __name__ == "__main__":
    main()
