# SPDX-License-Identifier: Apache-2.0
"""The documents that packages carry: documents.py SOURCE FOLDER

Writes them below FOLDER, which is share/doc/ringside of an installed tree, in the folders that they have in the source, so that their
links to each other hold. A link to what no package carries becomes its text.
"""

import os
import pathlib
import re
import sys

SHIPPED = ("README.md", "SECURITY.md", "analyzer/trace/FORMAT.md", "analyzer/import/README.md",
           *(f"docs/{name}.md" for name in ("tutorial", "glossary", "guide", "install", "containers", "live", "metrics", "rules", "report-json", "limits",
                                            "performance", "issues-and-series")))
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
PICTURE = re.compile(r"<picture>.*?</picture>\s*", re.DOTALL)


def in_tree(page, target):
    """The target of a link in an installed tree; None: it is not there. Schemas are in share/ringside."""
    name, _, anchor = target.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
    if path.endswith(".schema.json"):
        return os.path.relpath(os.path.join("../../ringside", os.path.basename(path)), os.path.dirname(page) or ".")
    return target if path in SHIPPED else None


def text_of(source, page, place):
    """A document with the links that `place(page, target)` gives."""
    def link(found):
        image, words, target = found.groups()
        there = target if re.match(r"[a-z]+:", target) else place(page, target)
        return f"{image}[{words}]({there})" if there else "" if image else words
    return LINK.sub(link, PICTURE.sub("", (pathlib.Path(source) / page).read_text(encoding="utf-8")))


def main(source, folder):
    for page in SHIPPED:
        path = pathlib.Path(folder) / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(source, page, in_tree), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
