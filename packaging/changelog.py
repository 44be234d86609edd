# SPDX-License-Identifier: Apache-2.0
"""CHANGELOG.md as Debian's packages carry it: changelog.py CHANGELOG.md PACKAGE CONTACT > changelog.

A version is a heading "## VERSION - YYYY-MM-DD" and its items begin with "- ".
"""

import datetime
import re
import sys

path, package, contact = sys.argv[1:]
with open(path) as file:
    parts = re.split(r"^## (\S+) - (\d{4}-\d{2}-\d{2})$", file.read(), flags=re.M)[1:]
if not parts:
    sys.exit(f"{path}: there is no heading such as '## 1.0.0 - 2026-01-31'")
for version, date, text in zip(parts[0::3], parts[1::3], parts[2::3]):
    items = [" ".join(item.split()) for item in re.split(r"^- ", text, flags=re.M)[1:]]
    when = datetime.datetime.strptime(date, "%Y-%m-%d").strftime("%a, %d %b %Y 00:00:00 +0000")
    print(f"{package} ({version}) unstable; urgency=medium\n")
    for item in items:
        words, line = item.replace("`", "").split(), "  *"
        for word in words:
            if len(line) + 1 + len(word) > 78:
                print(line)
                line = "   "
            line += " " + word
        print(line)
    print(f"\n -- {contact}  {when}\n")
