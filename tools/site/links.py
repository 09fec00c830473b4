# SPDX-License-Identifier: LGPL-2.1-or-later
"""The links of pages in Markdown."""

import re

LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


# A file or folder of the repository in code, as in `gst/bin/` or `files/ascii.h`; .* is a pair of files.
NAMED = re.compile(r"`((?:files|gst|gst-libs|kernels|model|pipelines|scheduler|tests|tools|debian)/[\w./-]*[\w*/])`")


def named_files(text):
    """Paths that a page names in code, outside of blocks."""
    return NAMED.findall(FENCE.sub("", text))


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def anchors(text):
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.MULTILINE):
        name, number = slug(heading), 1
        while name in found:
            name, number = f"{slug(heading)}-{number}", number + 1
        found.add(name)
    return found


def local_links(text):
    """(path, anchor) of each link that stays in this repository; an empty path is the page itself."""
    for _, target, _ in LINK.findall(CODE.sub("", FENCE.sub("", text))):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield path, anchor
