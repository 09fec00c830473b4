#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/reference.md from what the plugin tells of itself, or says that it is stale.

usage: page.py write|check DESCRIBE_PLUGIN LIBRARY"""

import difflib
import json
import os
import re
import subprocess
import sys
import textwrap

from sources import ROOT, Stale, checked_fields, members, signal_meaning, tensors

PAGE = ROOT / "docs/reference.md"
INTRODUCTION = """# Reference

All elements, properties, signals, messages, tensors and metadata. This page is generated from the plugin:
`./dev docs` writes it. `gst-inspect-1.0 ELEMENT` shows the same for what is installed.

Properties that elements inherit from GStreamer's own classes are left out. *Changes in* names the states of the element
in which a property may be set: *any*, or up to the one that is named.
"""
# Elements by what their names begin with; others come last.
GROUPS = [("The adaptive bin", r"tandembin"), ("ViVid: people", r"vivid"), ("Tracking", r"klt"), ("SRAD", r"srad"),
          ("Scene Recognition", r"scene"), ("Neural networks", r"dnn"), ("Drawing and publishing", r"")]
# Properties of every stage, which are listed once.
OF_EVERY_STAGE = ["interval", "device", "opencl-device", "tensors"]
STATES = {"read-only": "read-only", "construction": "construction", "ready": "READY", "paused": "PAUSED",
          "playing": "any"}
LARGE = 2**31 - 1
# What the plugin calls it, and the page and heading that describe its fields.
STRUCTURES = {"tandem-decision": ("docs/messages.md", "The message `tandem-decision`"),
              "tandembin": ("docs/messages.md", "The property `stats`"),
              "tandempublish": ("docs/publishing.md", "Properties")}
METADATA = [("gst-libs/gst/tandem/tensormeta.h", "GstTandemTensorMeta", "A tensor that a stage computed for the frame."),
            ("gst-libs/gst/tandem/motionmeta.h", "GstTandemMotionMeta", "Motion of the frame's features."),
            ("gst-libs/gst/tandem/motionmeta.h", "GstTandemMotionVector", "The motion of one feature.")]


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "| " + " | ".join("---" for _ in columns) + " |"]
    for row in rows:
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |")
    return "\n".join(lines) + "\n"


def address(page, heading):
    """The link from the reference to a heading of another page."""
    return f"{page.removeprefix('docs/')}#{heading.lower().replace('`', '').replace(' ', '-')}"


def wrapped(text):
    """Lines of at most 120 characters; those of a list stay in it."""
    return textwrap.fill(text, 120, subsequent_indent="  " * text.startswith("- "), break_on_hyphens=False)


def number(value):
    return f"{float(value):g}" if abs(value) < 1e6 and value != int(value) else str(int(value))


def range_text(item):
    if item["type"] == "enum":
        return ", ".join(f"`{value['name']}`" for value in item["values"])
    if not item["range"]:
        return ""
    least, most = item["range"]
    if most >= LARGE:
        return "any" if least <= -LARGE else f"from {number(least)}"
    return f"{number(least)} to {number(most)}"


def default_text(item):
    if item["changes"] == "read-only":
        return ""
    if item["type"] in ("double", "float"):
        return f"{float(item['default']):g}"
    return f"`{item['default']}`" if item["default"] else "empty"


def meaning_text(item, element):
    if item["name"] == "stats":
        return f"[Fields]({address(*STRUCTURES[element])})"
    text = item["meaning"]
    if item["type"] == "enum":
        text += ": " + "; ".join(f"`{value['name']}`: {value['meaning']}" for value in item["values"])
    return text


def properties_table(items, element):
    return table(["property", "type", "range", "default", "changes in", "meaning"],
                 [(f"`{item['name']}`", item["type"], range_text(item), default_text(item), STATES[item["changes"]],
                   meaning_text(item, element)) for item in items])


def pad_text(pads):
    """One line for pads that take the same, else one for each."""
    def caps(pad):
        kind, _, rest = pad["caps"].partition(",")
        formats = re.search(r"format=\(string\)(\{[^}]*\}|\w+)", rest)
        return f"`{kind}`" + (f", {formats[1].strip('{ }')}" if formats else "")
    by_caps = {}
    for pad in pads:
        by_caps.setdefault(caps(pad), []).append(f"`{pad['name']}`")
    return "\n".join(wrapped(f"- {'Pads' if len(names) > 1 else 'Pad'} {' and '.join(names)}: {text}.")
                     for text, names in by_caps.items()) + "\n"


def stage_text(element, made):
    stage = element["stage"]
    names = [f"`{one['name']}`" for one in made if one["element"] == element["name"]]
    reads = [f"`{one['tensor']}`" for one in stage["reads"]]
    text = f"- Reads {', '.join(reads) if reads else 'the pixels'}"
    text += ", and the frame before" if stage["previous-frame"] else ""
    text += f"; makes {', '.join(names)}.\n" if names else ".\n"
    facts = ["CPU and OpenCL" if stage["opencl"] else "CPU only"]
    facts += ["serial: frames pass in order"] if stage["serial"] else []
    facts += ["changes pixels"] if stage["changes-pixels"] else []
    return text + f"- {'; '.join(facts)}.\n"


def signals_text(element):
    rows = [(f"`{one['name']}`", "action" if one["action"] else "signal", ", ".join(one["parameters"]) or "none",
             one["returns"], signal_meaning(one["name"])) for one in element["signals"]]
    return "\n" + table(["signal", "kind", "parameters", "returns", "meaning"], rows) if rows else ""


def element_text(element, made):
    text = f"### {element['name']}\n\n" + wrapped(f"{element['description']}. Class: {element['klass']}.") + "\n\n"
    text += pad_text(element["pads"])
    items = element["properties"]
    if element["stage"]:
        text += stage_text(element, made)
        items = [item for item in items if item["name"] not in OF_EVERY_STAGE]
    text += "\n" + (properties_table(items, element["name"]) if items else "")
    return text.rstrip("\n") + "\n" + signals_text(element) + "\n"


def grouped(described):
    """Titles of groups, each with its elements in the order of the stages."""
    order = [name for chain in described["chains"] for name in chain]
    place = {name: number for number, name in enumerate(order)}
    left = sorted(described["elements"], key=lambda one: (place.get(one["name"], len(order)), one["name"]))
    for title, prefix in GROUPS:
        some = [one for one in left if re.match(prefix, one["name"])]
        left = [one for one in left if one not in some]
        if some:
            yield title, some


def elements_text(described):
    rows = [(f"[`{one['name']}`](#{one['name']})", one["description"]) for _, some in grouped(described)
            for one in some]
    text = "## Elements\n\n" + table(["element", "what it does"], rows)
    text += "\nEvery stage has these properties. The two of the device are for the time when it is outside of tandembin:\n\n"
    stage = next(one for one in described["elements"] if one["stage"])
    text += properties_table([item for item in stage["properties"] if item["name"] in OF_EVERY_STAGE],
                             stage["name"]) + "\n"
    for title, some in grouped(described):
        text += f"## {title}\n\n" + "".join(element_text(one, described["tensors"]) for one in some)
    return text


def tensors_text(described):
    comments = tensors()
    width, height = described["tensor-frame"]
    rows = {}
    for one in described["tensors"]:
        if one["name"] not in comments:
            raise Stale(f"no header describes the tensor '{one['name']}'")
        kind, layout, meaning = comments[one["name"]]
        if kind != one["type"]:
            raise Stale(f"the tensor '{one['name']}' is {one['type']}, not {kind}")
        row = rows.setdefault(one["name"], [f"`{one['name']}`", [], kind, f"`{layout}`",
                                            "x".join(str(n) for n in one["shape"]), meaning])
        row[1].append(f"`{one['element']}`")
    return "## Tensors\n\nWhat stages compute for a frame. `tandembin keep-tensors=true` leaves them on the frames.\n\n" + \
        table(["tensor", "made by", "type", "shape", f"at {width}x{height}", "meaning"],
              [[row[0], ", ".join(row[1]), *row[2:]] for row in rows.values()]) + "\n"


def metadata_text():
    text = ("## Metadata\n\nDetections and labels of scenes are `GstVideoRegionOfInterestMeta`, with parameters in the "
            "form of\nDL Streamer ([json-lines.md](json-lines.md#in-a-program-of-yours)). Tandem's own:\n\n")
    for header, struct, meaning in METADATA:
        rows = [(f"`{name}`", f"`{kind}`", comment) for name, kind, comment in members(header, struct)]
        text += f"### {struct}\n\n{meaning} `{header}`.\n\n" + table(["member", "type", "meaning"], rows) + "\n"
    return text


def structures_text(described):
    """Refers to the pages that describe fields, after a check that they describe all."""
    publish = next(one for one in described["elements"] if one["name"] == "tandempublish")
    of_publish = next(item["fields"] for item in publish["properties"] if item["name"] == "stats")
    fields = {"tandem-decision": described["structures"]["tandem-decision"],
              "tandembin": described["structures"]["stats"], "tandempublish": of_publish}
    for name, place in STRUCTURES.items():
        checked_fields(fields[name], *place)
    link = address(*STRUCTURES["tandem-decision"])
    return "## Messages\n\n" + wrapped(
        f"`tandembin` posts the element message [`tandem-decision`]({link}) and GStreamer's own messages: `qos` for "
        "frames that it drops ([live.md](live.md)), `latency` when its latency changes, warnings and errors.") + "\n"


def render(described):
    return "\n".join([INTRODUCTION, elements_text(described) + tensors_text(described) + metadata_text() +
                      structures_text(described)])


def main(action, describe, library):
    environment = os.environ | {"TANDEM_DATA_DIR": str(ROOT / "pipelines")}
    told = subprocess.run([describe, library], env=environment, check=True, stdout=subprocess.PIPE, timeout=300)
    described = json.loads(told.stdout)
    page = render(described)
    if action == "write":
        PAGE.write_text(page, encoding="utf-8")
        return 0
    written = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if page == written:
        return 0
    sys.stdout.writelines(difflib.unified_diff(written.splitlines(True), page.splitlines(True), "docs/reference.md",
                                               "what the plugin says", n=0))
    print("docs/reference.md is stale: `./dev docs` writes it anew")
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Stale as stale:
        sys.exit(f"docs/reference.md cannot be written: {stale}")
