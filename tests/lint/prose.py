#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks sentences of the documentation and of comments of product code: their length, their first word, their numbers.

`prose.py ROOT` checks the project, `prose.py ROOT FILE...` those files alone.
"""

import pathlib
import re
import sys

MOST_WORDS = 30  # in a sentence
MOST_NUMBERS = 3  # in a sentence; more of them belong in a table
MOST_COLUMNS = 120
FIRST_WORDS = {"What", "Who", "Whose", "Of", "That"}  # what follows has no noun yet

PAGES = ["*.md", "docs/**/*.md", "pipelines/**/*.md"]
CODE = [f"{folder}/**/*.{ending}" for folder in ("gst", "gst-libs", "kernels", "model", "pipelines", "scheduler")
        for ending in ("cpp", "h")]
# Pages that another program writes, and the log of changes.
EXEMPT = {"docs/reference.md", "CHANGELOG.md"}


def paragraphs_of_page(text):
    """Yields (line, text) for each paragraph and list item of Markdown; no code, tables, headings or HTML."""
    start, lines, fence = 0, [], None
    for number, line in enumerate(text.splitlines() + [""], start=1):
        stripped = line.strip()
        opening = re.match(r"(```+|~~~+)", stripped)
        if opening and (fence is None or stripped.startswith(fence)):
            fence = opening[1] if fence is None else None
            stripped = ""
        elif fence:
            continue
        item = re.match(r"([-*+]|\d+\.)\s+", stripped)
        if not stripped or item or stripped.startswith(("|", "#", "<", "!!!")):
            if lines:
                yield start, " ".join(lines)
            lines = []
            if not item:
                continue
            stripped = stripped[item.end():]
        if not lines:
            start = number
        lines.append(stripped.lstrip("> "))


def paragraphs_of_code(text):
    """Yields (line, text) for each paragraph of comments; no code, which is indented."""
    start, lines, item = 0, [], False
    for number, line in enumerate(text.splitlines() + [""], start=1):
        stripped = line.strip()
        comment = re.match(r"(?:///?<?|/\*\*?|\*(?!/))\s?(.*?)(?:\*/)?$", stripped)
        if comment and comment[1].startswith("  ") and not item:
            comment = re.match("()", "")
        trailing = None if comment else re.search(r"[;,{)\w]\s+//(?:/<)?\s+(.*)$", stripped)
        content = comment[1].strip() if comment else ""
        ends = re.match(r"(@\w+:|[-*] |\||Returns:|SPDX|#|:|gst_\w+:)", content)
        item = bool(content) and (item or bool(ends))
        if not content or ends:
            if lines:
                yield start, " ".join(lines)
            lines = []
            content = re.sub(r"^(@\w+:|[-*] |Returns:)\s*(\([^)]*\)[: ]*)*", "", content)
            if ends and ends[1].startswith(("|", "SPDX", "#", ":", "gst_")):
                content = ""
        if trailing:
            yield number, trailing[1]
        elif content:
            if not lines:
                start = number
            lines.append(content)


def sentences(paragraph):
    """Splits a paragraph; what is set as code counts as one word without numbers."""
    text = re.sub(r"``?[^`]*``?", "code", paragraph)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(e\.g|i\.e|cf|vs|Fig|Eq|No)\.", r"\1", text)
    return [one.strip(" *_\"'(") for one in re.split(r"(?<=[.!?])[*_)\"']*\s+|(?<=:)\s*$", text) if one.strip()]


def check_sentence(sentence):
    """Returns what is wrong with a sentence, as a list of texts."""
    words = re.findall(r"[^\s–—]*\w[^\s]*", sentence)
    if not words:
        return []
    found = []
    if len(words) > MOST_WORDS:
        found.append(f"{len(words)} words in a sentence, at most {MOST_WORDS}")
    if words[0].strip("*_,") in FIRST_WORDS and not sentence.endswith("?"):
        found.append(f'a sentence begins with "{words[0]}": begin with its subject')
    numbers = sum(bool(re.search(r"\d", word)) for word in words)
    if numbers > MOST_NUMBERS:
        found.append(f"{numbers} numbers in a sentence, at most {MOST_NUMBERS}: make a table")
    return [f"{what}: {sentence[:60]}" for what in found]


def check_file(path):
    """Returns (line, what) for each fault of one file."""
    text = path.read_text()
    is_page = path.suffix == ".md"
    found = []
    if is_page:
        for number, line in enumerate(text.splitlines(), start=1):
            if len(line) > MOST_COLUMNS and not line.lstrip().startswith(("|", "http", "[", "<", "![")):
                found.append((number, f"{len(line)} columns, at most {MOST_COLUMNS}"))
    for number, paragraph in (paragraphs_of_page if is_page else paragraphs_of_code)(text):
        found += [(number, what) for sentence in sentences(paragraph) for what in check_sentence(sentence)]
    return sorted(found)


def checked_files(root):
    """Returns the paths, relative to the root, of all that is checked."""
    paths = {path.relative_to(root) for pattern in PAGES + CODE for path in root.glob(pattern)}
    return sorted(path for path in paths if path.as_posix() not in EXEMPT)


def main(arguments):
    root = pathlib.Path(arguments[0])
    files = [pathlib.Path(name) for name in arguments[1:]] or checked_files(root)
    faults = [f"{file}:{line}: {what}" for file in files for line, what in check_file(root / file)]
    print("\n".join(faults) or f"prose: {len(files)} files read well")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
