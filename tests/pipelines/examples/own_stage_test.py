# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs Tandem into a folder, builds the stage outside the tree against it with the commands of
docs/library.md, and runs it on both sides. usage: own_stage_test.py BUILD SCRATCH"""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "pages"))
from page import blocks

BUILD, SCRATCH = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
ROOT = pathlib.Path(__file__).resolve().parents[3]
FRAMES = "videotestsrc pattern=gradient num-buffers=8 ! video/x-raw,format=GRAY8,width=64,height=48"


def run(*command, **environment):
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False,
                            cwd=ROOT, env={**os.environ, **environment})
    assert result.returncode == 0, f"{command} ended with {result.returncode}:\n{result.stdout}{result.stderr}"
    return result.stdout + result.stderr


def find(folder, pattern):
    found = sorted(folder.rglob(pattern))
    assert found, f"nothing installs {pattern}"
    return found[0]


def move(package, folder):
    """A build folder that was set up before pkgconfig.relocatable was a default has a fixed prefix."""
    lines = package.read_text().splitlines(keepends=True)
    package.write_text("".join(line.replace("prefix=/", f"prefix={folder}/") if line.startswith("prefix=/") else line
                               for line in lines))


def commands_of(page):
    """The first shell block: what installs, and what follows. read_tensors_test.py runs the other one."""
    block, _ = [text for _, language, text in blocks(page) if language == "sh"]
    paths, install, rest = block.split("\n", 2)
    assert install.startswith("meson install"), install
    return f"set -e\n{paths}\n{install}", f"set -e\n{paths}\n{rest}"


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    install, rest = commands_of("docs/library.md")
    there = {"BUILD": str(BUILD), "HERE": str(SCRATCH), "GST_REGISTRY": str(SCRATCH / "registry.bin")}
    run("bash", "-c", install, **there)
    tandem = SCRATCH / "tandem"
    package = find(tandem, "gstreamer-tandem-1.0.pc")
    move(package, tandem)
    output = run("bash", "-c", rest, **there)
    assert "limit" in output and "WARNING" not in output and "CRITICAL" not in output, output

    plugins = find(tandem, "libgsttandem.so").parent
    find(tandem, "libgsttandem-1.0.so.0")
    there["GST_PLUGIN_PATH"] = f"{plugins}:{SCRATCH / 'own-stage'}"
    for line in (f"{FRAMES} ! brightpixels device=cpu ! fakesink",
                 f"{FRAMES} ! brightpixels opencl-device=any limit=7 ! fakesink",
                 f"{FRAMES} ! tandembin.( opencl-device=any brightpixels limit=7 ! brightpixels ) ! fakesink",
                 f"{FRAMES} ! tandembin.( opencl-device=any mapping=g brightpixels ) ! fakesink"):
        output = run("gst-launch-1.0", *line.split(), **there)
        assert "WARNING" not in output and "CRITICAL" not in output, output
    print("built outside the tree, run alone and inside tandembin")


main()
