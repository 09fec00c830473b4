#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows that the check of sentences finds what it looks for, and nothing in code, tables and headings."""

import pathlib
import tempfile
import unittest

import prose

LONG = " ".join(["a"] * 31) + "."


def faults(name, text):
    """Returns (line, fault) for each fault of a file of that name."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.write_text(text)
        return prose.check_file(path)


class Pages(unittest.TestCase):
    def lines(self, text):
        return [line for line, _ in faults("page.md", text)]

    def test_finds_long_sentences(self):
        self.assertEqual(self.lines(f"A short one.\n\nAnother. {LONG}\n"), [3])
        self.assertEqual(self.lines(f"- item\n- {LONG}\n"), [2])
        self.assertEqual(self.lines(" ".join(["a"] * 30) + ". Next sentence.\n"), [])

    def test_finds_sentences_without_a_subject_in_front(self):
        for word in ("What", "Who", "Whose", "Of", "That"):
            self.assertEqual(self.lines(f"Fine. {word} begins here.\n"), [1])
        self.assertEqual(self.lines("Office hours. Whatever fits. Is that what you want?\n"), [])

    def test_finds_numbers_in_running_text(self):
        self.assertEqual(self.lines("It takes 1, 2, 3 or 4 s.\n"), [1])
        self.assertEqual(self.lines("It takes 1, 2 or 3 s. Then 4 s.\n"), [])

    def test_finds_wide_lines(self):
        self.assertEqual(self.lines("word " * 20 + "a" * 21 + ".\n"), [1])

    def test_overlooks_code_tables_and_headings(self):
        self.assertEqual(self.lines(f"# What {LONG}\n\n| What | {LONG} |\n\n```sh\nWhat {LONG}\n```\n\n`1 2 3 4 5` fits.\n"), [])

    def test_a_link_is_its_text(self):
        self.assertEqual(self.lines("See [the page](docs/1-2-3-4-5.md), 1 and 2.\n"), [])


class Comments(unittest.TestCase):
    def lines(self, text):
        return [line for line, _ in faults("header.h", text)]

    def test_reads_comments_as_sentences(self):
        self.assertEqual(self.lines(f"/// Short.\nint a;\n/// {LONG}\nint b;\n"), [3])
        half = " ".join(["a"] * 16)
        self.assertEqual(self.lines(f"// {half}\n// {half}.\nint a;\n"), [1])
        self.assertEqual(self.lines(f"// {half}.\n\n// {half}.\n"), [])

    def test_reads_comments_behind_code(self):
        self.assertEqual(self.lines("int a;  ///< What it is.\nint b;  // the rate\n"), [1])

    def test_reads_documentation_of_functions_in_c(self):
        self.assertEqual(self.lines("/**\n * name:\n * @a: (nullable): What it is.\n *\n * Returns: the rate\n */\n"), [3])

    def test_overlooks_code_in_comments(self):
        self.assertEqual(self.lines(f"/// Short:\n///   What {LONG}\n/// What now.\n"), [3])
        self.assertEqual(self.lines(f"/// - item\n///   {LONG}\n"), [1])

    def test_overlooks_code(self):
        self.assertEqual(self.lines("const char* kWhat = \"What is it\";\nWhat a(1, 2, 3, 4);\n"), [])


class Files(unittest.TestCase):
    def test_checks_pages_and_product_code(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        names = {path.as_posix() for path in prose.checked_files(root)}
        self.assertLessEqual({"README.md", "docs/adapting.md", "gst-libs/gst/tandem/stage.h", "model/predict/predict.cpp"}, names)
        self.assertNotIn("docs/reference.md", names)


if __name__ == "__main__":
    unittest.main()
