# SPDX-License-Identifier: Apache-2.0
"""The texts of --help, and their uniform structure: help_test.py RINGSIDE."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

RINGSIDE = os.path.abspath(sys.argv.pop(1))


def help_of(*words):
    return subprocess.run([RINGSIDE, *words, "--help"], env={**os.environ, "COLUMNS": "80"}, text=True, capture_output=True, check=True, timeout=20).stdout


def section(text, heading):
    found = re.search(rf"^{heading}:\n(.*?)(?:\n\n|\Z)", text, re.M | re.S)
    return found.group(1) if found else ""


def commands():
    """Name and heading of each, as the program's help lists them."""
    found = {}
    for heading in ("Record a job", "Understand a run", "Check hosts before a run", "Traces as files", "This program"):
        for name in re.findall(r"^  ([a-z]+) ", section(help_of(), heading), re.M):
            found[name] = heading
    return found


def options(text):
    return set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.M))


class Help(unittest.TestCase):
    def test_commands_stand_below_what_they_are_for(self):
        listed = commands()
        self.assertEqual(listed["record"], "Record a job")
        self.assertEqual(listed["doctor"], "Check hosts before a run")
        self.assertGreater(len(listed), 14)
        folder = os.path.join(os.path.dirname(__file__), "../../../analyzer/cli/commands")
        written = {name.removesuffix(".cpp") for name in os.listdir(folder)}
        self.assertEqual(written - set(listed), {"documents"}, "that one is the build's")

    def test_every_command_has_examples_of_options_that_it_has(self):
        for command in commands():
            text = help_of(command)
            lines = re.findall(rf"^  (.*\bringside {command}\b.*)$", section(text, "Examples"), re.M)
            self.assertTrue(lines, command)
            for line in lines:
                ours = line.split(f"ringside {command}", 1)[1].split(" -- ")[0]
                ours = re.sub(r'"[^"]*"', "", ours)
                self.assertLessEqual(set(re.findall(r"(?<= )--[a-z-]+", ours)), options(text), line)

    def test_examples_of_query_are_valid_sql(self):
        kernel = {"ph": "X", "cat": "kernel", "name": "add", "pid": 0, "tid": 7, "ts": 1.0, "dur": 2.0,
                  "args": {"device": 0, "stream": 7, "correlation": 1}}
        statements = re.findall(r'^  ringside query \S+ "([^"]+)"', help_of("query"), re.M)
        self.assertGreater(len(statements), 1)
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            with open(trace, "w", encoding="utf-8") as file:
                json.dump({"traceEvents": [kernel]}, file)
            for statement in statements:
                query = subprocess.run([RINGSIDE, "query", trace, statement], text=True, capture_output=True, check=False, timeout=20)
                self.assertEqual(query.returncode, 0, statement + "\n" + query.stderr)

    def test_values_are_named_by_what_they_are(self):
        for command in commands():
            self.assertNotRegex(help_of(command), r"\b(TEXT|INT|UINT|FLOAT)\b|Excludes", command)

    def test_lines_fit(self):
        for command in commands():
            long = [line for line in help_of(command).split("Examples:")[0].splitlines() if len(line) > 80 and ": " not in line]
            self.assertEqual(long, [], command)

    def test_an_option_has_one_name_everywhere(self):
        for command in commands():
            text = help_of(command)
            if "--output" in options(text):
                self.assertRegex(text, r"(?m)^  -o, --output [A-Z]+", command)
            for name in options(text) & {"--out", "--csv", "--type"}:
                self.fail(f"{command} {name}: that is -o/--output or --format elsewhere")


if __name__ == "__main__":
    unittest.main(verbosity=2)
