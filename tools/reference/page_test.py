#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows that the reference finds what is not described, on fields and pages that are made up."""

import pathlib
import tempfile
import unittest
from unittest import mock

import page
import sources

MESSAGES = "docs/messages.md", "The property `stats`"


class Fields(unittest.TestCase):
    def checked(self, name, kind):
        return sources.checked_fields([{"name": name, "type": kind}], *MESSAGES)

    def test_accepts_what_is_described(self):
        self.assertEqual(self.checked("cores", "int")["cores"][0], "int")

    def test_finds_a_field_that_is_not_described(self):
        with self.assertRaisesRegex(sources.Stale, "lacks the field 'surprise'"):
            self.checked("surprise", "int")

    def test_finds_another_type(self):
        with self.assertRaisesRegex(sources.Stale, "'cores' is of type double, not int"):
            self.checked("cores", "double")

    def test_finds_an_inner_field_that_is_not_described(self):
        with self.assertRaisesRegex(sources.Stale, "'stages' does not mention 'surprise'"):
            self.checked("stages.surprise", "int")


class Page(unittest.TestCase):
    def test_finds_a_tensor_that_no_header_describes(self):
        tensor = {"name": "surprise", "element": "vividfilter", "type": "uint8", "shape": [1]}
        with self.assertRaisesRegex(sources.Stale, "'surprise'"):
            page.tensors_text({"tensors": [tensor], "tensor-frame": [1, 1]})

    def test_finds_a_page_that_is_stale(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(page, "render", lambda _: "new\n"), \
                mock.patch.object(page, "PAGE", pathlib.Path(folder) / "page.md"), \
                mock.patch.object(page.sys, "stdout"):
            self.assertEqual(page.main("check", "echo", "{}"), 1)
            self.assertEqual(page.main("write", "echo", "{}"), 0)
            self.assertEqual(page.main("check", "echo", "{}"), 0)


if __name__ == "__main__":
    unittest.main()
