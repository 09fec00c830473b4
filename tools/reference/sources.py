# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the plugin cannot tell of itself: the comments on tensors and metadata in the headers, and the tables of
fields in docs/."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Stale(Exception):
    """The code and what is written about it differ."""


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def tensors():
    """Of each tensor that a header names: its layout as the comment has it, and its meaning.

    /// float32 [cells, filters]: the votes of each cell of 8x8 pixels.
    inline constexpr char kVividHistogram[] = "vivid-histogram";
    """
    found = {}
    pattern = re.compile(r'((?:^///[^\n]*\n)+)inline constexpr char \w+\[\] = "([^"]+)";', re.MULTILINE)
    for header in sorted((ROOT / "gst/elements").rglob("*.h")):
        for comment, name in pattern.findall(header.read_text(encoding="utf-8")):
            text = " ".join(line.removeprefix("///").strip() for line in comment.splitlines())
            layout = re.fullmatch(r"(\w+) (\[.*?\])( for [^:]*)?: (.*)", text)
            if not layout:
                raise Stale(f"{header.name}: the comment on '{name}' is not of the form 'type [shape]: meaning'")
            found[name] = (layout[1], layout[2] + (layout[3] or ""), layout[4])
    return found


def members(header, struct):
    """Name, type and meaning of each member of a public C structure, whose comment is GTK-Doc's."""
    text = read(header)
    body = re.search(r"struct _" + struct + r" \{([^}]*)\};", text)
    comment = re.search(r"/\*\*\n \* " + struct + r":\n(.*?)\*/", text, re.DOTALL)
    if not body or not comment:
        raise Stale(f"{header} has no structure {struct} with a comment")
    meanings = {}
    for name, meaning in re.findall(r" \* @(\w+): (.*?)(?=\n \* @|\n \*\n)", comment[1], re.DOTALL):
        meaning = re.sub(r"^(\([^)]*\) ?)+: ", "", re.sub(r"\s*\n \*\s+", " ", meaning))
        meanings[name] = re.sub(r"[%#@](\w+)", r"`\1`", meaning)
    rows = []
    for line in body[1].splitlines():
        member = re.fullmatch(r"\s*(.*?)\b((?:\w+, )*\w+)(\[\w+\])?;", line)
        for name in member[2].split(", ") if member else []:
            if name != "meta":
                rows.append((name + (member[3] or ""), member[1].strip(), meanings.get(name, "")))
    return rows


def fields(page, heading):
    """The rows of the table of fields under a heading of a page: {name: (type, unit, meaning)}. Type and unit are
    None where the table has no such column."""
    section = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)", read(page), re.MULTILINE | re.DOTALL)
    if not section:
        raise Stale(f"{page} has no heading '{heading}'")
    tables = re.findall(r"^\| field.*?(?=\n\n|\Z)", section[1], re.MULTILINE | re.DOTALL)
    if len(tables) != 1:
        raise Stale(f"{page}, '{heading}': there is no table of fields")
    found = {}
    for line in tables[0].splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for name in re.findall(r"`([^`]+)`", cells[0]):
            found[name] = (cells[1], cells[2], cells[3]) if len(cells) == 4 else (None, None, cells[-1])
    return found


def signal_meaning(name):
    """What a page says of a signal in a table: "| action `retrain` | measures anew |"."""
    for page in sorted((ROOT / "docs").glob("*.md")):
        row = re.search(rf"^\| (?:action|signal) `{name}` \| (.*?) \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
        if row:
            return row[1]
    raise Stale(f"no page of docs/ describes the signal '{name}' in a table")


def checked_fields(told, page, heading):
    """fields(), after a check that they are all that a structure of the plugin has, with the right types."""
    written = fields(page, heading)
    for field in told:
        outer, _, inner = field["name"].partition(".")
        if outer not in written:
            raise Stale(f"{page}, '{heading}' lacks the field '{outer}'")
        kind, unit, meaning = written[outer]
        if inner:
            if not meaning.startswith("as in") and f"`{inner}`" not in meaning:
                raise Stale(f"{page}, '{heading}': the field '{outer}' does not mention '{inner}'")
        elif kind is None:
            written[outer] = (field["type"], unit, meaning)
        elif kind != field["type"].replace("GstStructure", "structure"):
            raise Stale(f"{page}, '{heading}': the field '{outer}' is of type {field['type']}, not {kind}")
    return written
