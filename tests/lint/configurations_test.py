#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the configurations that a machine without optional libraries gets, with the options of `./dev demo`.

usage: configurations_test.py [--build]

Each configuration is set up, and ninja has to know a rule for every file that it needs. `--build` compiles the one
without any optional library, whose code differs most from the usual build, and analyses frames with it. The
configuration without brokers is built by `./dev demo` on a bare machine (tools/fresh_machine).
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NO_BROKERS = ["-Dmqtt=disabled", "-Dredis=disabled"]
CONFIGURATIONS = {
    "everything that is installed": [],
    "no brokers": NO_BROKERS,
    "no OpenCL": ["-Dopencl=disabled"],
    "no libclang": ["-Dlibclang=disabled"],
    "no networks": ["-Dnetworks=disabled"],
    "no analytics": ["-Danalytics=disabled"],
    "nothing optional": [*NO_BROKERS, "-Dopencl=disabled", "-Dlibclang=disabled", "-Dintrospection=disabled",
                         "-Drivals=disabled", "-Danalytics=disabled", "-Dnetworks=disabled"],
}


def demo_options():
    unity = re.search(r"^unity='([^']*)'$", (ROOT / "dev").read_text(encoding="utf-8"), re.MULTILINE)
    return ["--buildtype=release", "-Dtests=false", *unity[1].split()]


def run(*command, **environment):
    """Returns the status of a command and what it printed."""
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


class Configurations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_well(self, *command, **environment):
        status, output = run(*command, **environment)
        self.assertEqual(status, 0, f"{' '.join(command)}\n{output[-4000:]}")
        return output

    def set_up(self, name, *more):
        build = f"{self.folder}/{name.replace(' ', '-')}"
        self.run_well("meson", "setup", build, *demo_options(), *CONFIGURATIONS[name], *more)
        return build


class Graphs(Configurations):
    def test_every_graph_is_whole(self):
        for name in CONFIGURATIONS:
            with self.subTest(name):
                self.run_well("ninja", "-C", self.set_up(name), "-n")

    def test_no_static_library_is_linked_whole_into_another(self):
        """meson 1.0 expects n / 8 + 1 unity objects of n sources there, one too many where 8 divides n."""
        for path in ROOT.rglob("meson.build"):
            calls = re.findall(r"static_library\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", path.read_text(encoding="utf-8"))
            for call in calls:
                self.assertNotIn("link_whole", call, path.relative_to(ROOT))


class Build(Configurations):
    def test_nothing_optional_computes_frames(self):
        build = self.set_up("nothing optional", "-Doptimization=0")
        self.assertNotIn("warning:", self.run_well("ninja", "-C", build))
        lines = pathlib.Path(self.folder) / "people.jsonl"
        self.run_well(f"{build}/pipelines/tandem", "run", "vivid", "--frames", "20", "--size", "320x240",
                      "--knowledge", "off", "--metadata", str(lines),
                      GST_PLUGIN_PATH=f"{build}/gst", LD_LIBRARY_PATH=f"{build}/gst-libs/gst/tandem",
                      GST_REGISTRY=f"{self.folder}/registry.bin", TANDEM_DATA_DIR=str(ROOT / "pipelines"),
                      TANDEM_DEMO_VIDEO="")
        self.assertEqual(len(lines.read_text(encoding="utf-8").splitlines()), 20)


if __name__ == "__main__":
    chosen = Build if "--build" in sys.argv[1:] else Graphs
    unittest.main(argv=sys.argv[:1], defaultTest=chosen.__name__)
