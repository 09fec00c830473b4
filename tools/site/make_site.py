#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes static pages of README.md, docs/ and the other pages with MkDocs and its theme Material.

The pages keep their places, so that the links that work in the repository work in the site. What else they link to (a
source, a folder) is copied or listed.

usage: make_site.py STAGE SITE"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

from links import LINK, local_links

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Titles of the sections, each with its pages; what is in none of them comes last.
SECTIONS = [
    ("Start", ["README.md", "docs/start.md", "docs/install.md", "docs/recipes.md", "docs/live.md", "docs/json-lines.md",
               "docs/publishing.md", "docs/many-machines.md", "docs/messages.md", "docs/reference.md"]),
    ("Applications", ["docs/detector.md", "docs/objects.md", "docs/tracking.md", "docs/srad.md", "docs/scene.md", "docs/own-stages.md",
                      "docs/generate.md", "docs/streams.md",
                      "docs/library.md"]),
    ("How it works", ["docs/architecture.md", "docs/adapting.md", "docs/learning.md", "docs/constants.md",
                      "docs/knowledge.md", "docs/energy.md", "docs/model.md", "docs/glossary.md", "docs/papers.md"]),
    ("How fast it is", ["docs/measuring.md", "docs/kernels.md", "docs/bench-json.md"]),
    ("Project", ["HACKING.md", "CONTRIBUTING.md", "SECURITY.md", "docs/versions.md", "docs/limits.md",
                 "CHANGELOG.md"]),
]
LAST = [("Measurements", "docs/measurements/"), ("Decisions", "docs/decisions/"), ("More", "")]
THEME = {"name": "material", "font": False, "features": ["navigation.sections", "navigation.top"],
         "palette": {"primary": "teal", "accent": "teal"}}
EXTENSIONS = [{"toc": {"permalink": True, "slugify": "!GITHUB"}}, "tables", "fenced_code", "sane_lists",
              "pymdownx.highlight"]


def files_of_git(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
                            cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return sorted(name for name in listed.split("\0") if name and (ROOT / name).exists())


def folder_page(folder):
    """What a link to a folder leads to, where the folder has no README.md."""
    items = "\n".join(f"- [{name.name}]({name.name})" for name in sorted((ROOT / folder).iterdir()) if name.is_file())
    return f"# {folder}\n\n{items}\n"


def stage_page(name, stage):
    """Copies a page and what it links to. A link to a folder becomes one to the folder's page."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for path, _ in local_links(text):
        target = (ROOT / name).parent / path
        place = stage / os.path.relpath(target, ROOT)
        if path and target.is_dir():
            place.mkdir(parents=True, exist_ok=True)
            if not (target / "README.md").exists():
                (place / "README.md").write_text(folder_page(os.path.relpath(target, ROOT)), encoding="utf-8")
                for file in target.iterdir():
                    if file.is_file() and file.suffix != ".md":
                        shutil.copy(file, place)
            text = LINK.sub(lambda link, path=path: f"{link[1]}{path.rstrip('/')}/README.md{link[3]}"
                            if link[2] == path else link[0], text)
        elif path and target.suffix != ".md":
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, place)
    place = stage / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def navigation(pages):
    left = list(pages)
    nav = []
    for title, wanted in SECTIONS:
        some = [name for name in wanted if name in left]
        left = [name for name in left if name not in some]
        nav.append({title: some})
    for title, folder in LAST:
        some = [name for name in left if name.startswith(folder)]
        left = [name for name in left if name not in some]
        nav += [{title: some}] if some else []
    return nav


def main(stage, site):
    stage, site = pathlib.Path(stage).absolute(), pathlib.Path(site).absolute()
    shutil.rmtree(stage, ignore_errors=True)
    pages = files_of_git("*.md")
    for name in pages:
        stage_page(name, stage / "pages")
    shutil.copy(pathlib.Path(__file__).with_name("tables.css"), stage / "pages")
    config = {"site_name": "Tandem", "docs_dir": str(stage / "pages"), "site_dir": str(site), "theme": THEME,
              "use_directory_urls": False, "strict": True, "markdown_extensions": EXTENSIONS,
              "plugins": ["search"], "extra_css": ["tables.css"], "nav": navigation(pages)}
    # JSON is YAML, but for the one value that names a function.
    text = json.dumps(config, indent=1).replace('"!GITHUB"', "!!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}")
    (stage / "mkdocs.yml").write_text(text, encoding="utf-8")
    subprocess.run(["mkdocs", "--quiet", "build", "--config-file", stage / "mkdocs.yml"], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
