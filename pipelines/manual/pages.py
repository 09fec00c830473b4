#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes man pages of what `tandem --help` and `tandem COMMAND --help` print: tandem.1, tandem-run.1 and so on.

usage: pages.py TANDEM VERSION FOLDER
`meson install` runs it too: a relative FOLDER lies in the prefix then."""

import datetime
import os
import pathlib
import re
import subprocess
import sys
import textwrap

ROW = re.compile(r"  (\S.*?)(?:  +(.*))?$")  # a word or an option, and what it means


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return "\\&" + text if text[:1] in (".", "'") else text


def row_name(name):
    """Options in bold, what stands for a value in italics: "-o, --output=FILE"."""
    if not name.startswith("-"):
        return f"\\fB{escape(name)}\\fR"
    parts = []
    for part in name.split(", "):
        option, equals, value = part.partition("=")
        parts.append(f"\\fB{escape(option)}\\fR" + (f"=\\fI{escape(value)}\\fR" if equals else ""))
    return ", ".join(parts)


class Page:
    """Takes a help text piece by piece and makes roff of it."""

    def __init__(self):
        self.lines = []
        self.in_row = False
        self.gap = False  # a paragraph has ended

    def section(self, title):
        self.lines.append(f".SH {title}")
        self.in_row = self.gap = False

    def text(self, line):
        if self.in_row or (self.gap and not self.lines[-1].startswith(".SH")):
            self.lines.append(".PP")
        self.in_row = self.gap = False
        self.more(line)

    def row(self, name, meaning):
        self.lines += [".TP", row_name(name)]
        self.in_row = True
        self.more(meaning or "")

    def more(self, text):
        self.lines += [escape(line) for line in textwrap.wrap(text, 78)]


def body(lines):
    """The roff of a help text without its usage."""
    page = Page()
    page.section("DESCRIPTION")
    for line in lines:
        row = ROW.match(line)
        if not line:
            page.gap = True
        elif line == "Options:":
            page.section("OPTIONS")
        elif line.startswith("   "):
            page.more(line.strip())
        elif row:
            page.row(row[1], row[2])
        else:
            page.text(line)
    return page.lines


def bold_words(usage, name):
    """A line of usage with the words in bold that are typed as they stand."""
    words = name.replace("-", " ", 1)
    return f"\\fB{escape(words)}\\fR{escape(usage.removeprefix(words))}"


def make_page(name, summary, help_text, version, date, see_also):
    lines = help_text.rstrip("\n").split("\n")
    if lines[0] == "Usage:":  # as GLib writes it
        usage, lines = [line.strip() for line in lines[1:lines.index("")]], lines[lines.index("") + 1:]
    else:
        usage, lines = [lines[0].removeprefix("usage: ")], lines[2:]
    top = [f".TH {escape(name.upper())} 1 {date} \"Tandem {version}\" \"User Commands\"", ".SH NAME",
           f"{escape(name)} \\- {escape(summary)}", ".SH SYNOPSIS"]
    top += [bold_words(one, name) for one in usage]
    end = [".SH SEE ALSO", ",\n".join(f".BR {escape(one)} (1)" for one in see_also).replace(" (1),", " (1),")]
    return "\n".join(top + body(lines) + end) + "\n"


def help_of(tandem, *words):
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    return subprocess.run([tandem, *words, "--help"], check=True, stdout=subprocess.PIPE, text=True,
                          encoding="utf-8", env=environment).stdout


def commands_of(tandem):
    """Name and summary of each command that `tandem --help` lists."""
    return [row.groups() for line in help_of(tandem).splitlines() if (row := ROW.match(line))]


def main(tandem, version, folder):
    folder = pathlib.Path(os.environ.get("MESON_INSTALL_DESTDIR_PREFIX", "."), folder)
    folder.mkdir(parents=True, exist_ok=True)
    # The same sources make the same pages.
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.timezone.utc)
    date = (datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc) if seconds else now).date()
    commands = commands_of(tandem)
    names = [f"tandem-{name}" for name, _ in commands]
    page = make_page("tandem", "video analytics on CPU cores and an OpenCL device", help_of(tandem), version, date,
                     names + ["gst-launch-1.0"])
    (folder / "tandem.1").write_text(page, encoding="utf-8")
    for name, summary in commands:
        page = make_page(f"tandem-{name}", summary, help_of(tandem, name), version, date, ["tandem"])
        (folder / f"tandem-{name}.1").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
