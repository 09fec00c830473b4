#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that every link between pages leads somewhere, headings included, and that named files exist."""

import pathlib
import shutil
import subprocess
import unittest

from links import anchors, local_links, named_files, slug

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pages():
    listed = []
    if shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT,
                                check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split()
    # A machine without git, or a tree without it, as the one that a package is built in.
    found = [ROOT / name for name in listed] or list(ROOT.rglob("*.md"))
    return [page for page in found if page.exists()]


def broken(page):
    for path, anchor in local_links(page.read_text(encoding="utf-8")):
        target = page.parent / path if path else page
        if not target.exists():
            yield f"{page.relative_to(ROOT)}: there is no {path}"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield f"{page.relative_to(ROOT)}: {target.name} has no heading #{anchor}"


def missing(page):
    for name in named_files(page.read_text(encoding="utf-8")):
        if not (any(ROOT.glob(name)) if "*" in name else (ROOT / name).exists()):
            yield f"{page.relative_to(ROOT)}: there is no {name}"


class Links(unittest.TestCase):
    def test_every_named_file_exists(self):
        now = [page for page in pages() if page.name != "CHANGELOG.md"]
        self.assertEqual([problem for page in now for problem in missing(page)], [])

    def test_named_files(self):
        text = "`gst/bin/` and `files/ascii.*`, not `ascii.h`, `kernels/<kernel>/` or `a/b`\n```\n`gst/no`\n```\n"
        self.assertEqual(named_files(text), ["gst/bin/", "files/ascii.*"])

    def test_every_link_leads_somewhere(self):
        self.assertGreater(len(pages()), 30)
        self.assertEqual([problem for page in pages() for problem in broken(page)], [])

    def test_anchors(self):
        self.assertEqual(slug("The message `tandem-decision`"), "the-message-tandem-decision")
        self.assertEqual(slug("Build, test, measure one thing"), "build-test-measure-one-thing")
        self.assertEqual(anchors("# A\n## A\n```sh\n# no heading\n```\n"), {"a", "a-1"})

    def test_links(self):
        text = "[a](b.md#c) `[no](link)` ![d](e.png) [f](https://g)\n```\n[no](link)\n```\n[h](#i)\n"
        self.assertEqual(list(local_links(text)), [("b.md", "c"), ("e.png", ""), ("", "i")])


if __name__ == "__main__":
    unittest.main()
