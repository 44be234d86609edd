#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""documents_test.py ROOT RINGSIDE: links in Markdown files have existing targets, and generated pages are up to date."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT, RINGSIDE = pathlib.Path(sys.argv[1]), sys.argv[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def pages():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [page for line in listed.stdout.splitlines() if (page := ROOT / line).exists()]
    return [page for page in ROOT.rglob("*.md") if "build" not in page.relative_to(ROOT).parts]


def anchors(page):
    """Of headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page):
    for link in LINK.finditer(FENCE.sub("", page.read_text())):
        target = link.group(1) or link.group(2)
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            yield f"{page}: {target} does not exist"
        elif anchor and anchor not in anchors(file):
            yield f"{page}: {target} has no such heading"


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        found = pages()
        self.assertGreater(len(found), 10)
        self.assertEqual([], [problem for page in found for problem in broken(page)])

    def test_a_link_that_leads_nowhere_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("# Some heading\n[good](#some-heading) [bad](#other) [gone](gone.md)\n```\n[not](a-link.md)\n```\n")
            self.assertEqual([f"{page}: #other has no such heading", f"{page}: gone.md does not exist"], list(broken(page)))

    def test_the_catalogue_of_rules_is_what_the_program_prints(self):
        printed = subprocess.run([RINGSIDE, "rules", "--format", "markdown"], check=True, capture_output=True, text=True).stdout
        self.assertEqual((ROOT / "docs" / "rules.md").read_text(), printed,
                         "write it anew: ringside rules --format markdown > docs/rules.md")


unittest.main(argv=sys.argv[:1], verbosity=1)
