#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""readme_test.py ROOT: the two commands of README, held against what CI runs and against the end-to-end test of the demo."""

import pathlib
import re
import shlex
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
README = (ROOT / "README.md").read_text()
DEMO, SUITE = "reference_trainer/demo.sh", "tests/run.sh"


def commands():
    """Of the first block of shell commands below the heading."""
    block = re.search(r"^## Two commands$.*?^```\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    return [shlex.split(line, comments=True) for line in block[1].splitlines()] if block else []


def rows():
    """{command: (from nothing, again)} of the table of times."""
    found = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|", README, re.MULTILINE)
    return {command: (nothing, again) for command, nothing, again in found}


class Readme(unittest.TestCase):
    def test_it_names_the_two_scripts_and_both_exist(self):
        self.assertEqual([["bash", DEMO], ["bash", SUITE]], commands())
        for script in (DEMO, SUITE):
            self.assertTrue((ROOT / script).is_file(), script)

    def test_ci_runs_the_suite_and_nothing_else(self):
        lines = [line for line in (ROOT / ".ci/run").read_text().splitlines() if line and not line.startswith("#")]
        self.assertEqual(1, len(lines), lines)
        words = shlex.split(lines[0])
        self.assertEqual(["exec", "bash"], words[:2])
        self.assertEqual("$@", words[3], "CI's arguments are the suite's")
        self.assertTrue(words[2].endswith("/../" + SUITE), words[2])

    def test_the_demo_plants_and_finds_what_its_end_to_end_test_does(self):
        test = (ROOT / "tests/e2e/demo_slice_test.py").read_text()
        script = (ROOT / DEMO).read_text()
        planted = re.findall(r'--fault "?(\w+)', script)
        found = re.findall(r'finding\["rule"\] == "(\w+)"', script)
        self.assertEqual(2, len(planted), planted)
        self.assertEqual(planted, re.findall(r'"(\w+):\w+=', test))
        self.assertEqual(found, re.findall(r'self\.finding\(result, "(\w+)"', test))

    def test_each_command_has_its_times_and_the_scripts_have_none_of_their_own(self):
        self.assertEqual({"bash " + DEMO, "bash " + SUITE}, set(rows()))
        for command, times in rows().items():
            for time in times:
                self.assertRegex(time, r"^(\d+ min( \d+ s)?|\d+ s|to be measured)$", command)
        for script in (DEMO, SUITE):
            self.assertNotRegex((ROOT / script).read_text(), r"(?i)about \d+ (minutes|seconds)", script)


unittest.main(argv=sys.argv[:1], verbosity=1)
