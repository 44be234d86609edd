# SPDX-License-Identifier: Apache-2.0
"""Formats for other programs: each is read by a parser that is not ours and holds what the JSON report holds, whatever the run
is called. RINGSIDE_SARIF_SCHEMA and RINGSIDE_JUNIT_SCHEMA name the public schemas, where they are at hand, to be held against."""

import html.parser
import json
import os
import re
import shutil
import subprocess
import unittest

import jsonschema
import junitparser

import lab

NAME = 'odd %0A name, with: <b>&"quotes"\''


class Page(html.parser.HTMLParser):
    """The text of a page, and everything that it would load."""

    def __init__(self, text):
        super().__init__()
        self.loads = []
        self.text = ""
        self.bars = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.loads += [value for name, value in attrs if name in ("src", "href", "data", "srcset")]
        self.loads += [tag] if tag in ("script", "link", "iframe", "object") else []
        self.bars += ("class", "compute") in attrs and tag == "rect"

    def handle_data(self, data):
        self.text += data


class Formats(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        recorded = cls.training("run", ["late_rank:rank=1,ms=30", "small_buckets:mb=0.1"], steps=25)
        cls.directory = cls.folder / f"{NAME}.ringside"
        shutil.rmtree(cls.directory, ignore_errors=True)
        recorded.rename(cls.directory)
        cls.result = lab.report(cls.directory)

    def losses(self):
        """The findings that restate no other: what every format for others counts."""
        return [finding for finding in self.result["findings"] if finding["same_loss_as"] is None]

    def report(self, form):
        return lab.run([lab.RINGSIDE, "report", self.directory, "--format", form]).stdout

    def test_junit_has_a_case_a_rule(self):
        text = self.report("junit")
        suite = next(iter(junitparser.JUnitXml.fromstring(text.encode())))
        self.assertEqual(suite.name, f"ringside {NAME}.ringside")
        failed = {case.name for case in suite if any(isinstance(r, junitparser.Failure) for r in case.result)}
        self.assertEqual(failed, {f["rule"] for f in self.losses() if f["severity"] != "info"})
        skipped = {case.name for case in suite if any(isinstance(r, junitparser.Skipped) for r in case.result)}
        restating = {f["rule"] for f in self.result["findings"] if f["same_loss_as"]}
        self.assertEqual(skipped, {rule["rule"] for rule in self.result["not_applicable"]} | (restating - failed))
        self.assertEqual((suite.tests, suite.failures, suite.skipped), (len(list(suite)), len(failed), len(skipped)))

    def test_junit_fits_the_schema(self):
        schema = os.environ.get("RINGSIDE_JUNIT_SCHEMA") or self.skipTest("RINGSIDE_JUNIT_SCHEMA names no file")
        file = self.folder / "junit.xml"
        file.write_text(self.report("junit"))
        subprocess.run(["xmllint", "--noout", "--schema", schema, file], check=True)

    def test_sarif_has_a_result_a_finding(self):
        document = json.loads(self.report("sarif"))
        run = document["runs"][0]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
        failed = [result for result in run["results"] if result["kind"] == "fail"]
        self.assertEqual(sorted((result["ruleId"], str(result["properties"]["cost_ns_per_step"])) for result in failed),
                         sorted((f["rule"], str(f["cost_ns_per_step"])) for f in self.losses()))
        late = next(result for result in failed if result["ruleId"] == "late_rank")
        self.assertEqual(late["locations"][0]["logicalLocations"], [{"name": "rank 1", "kind": "process"}])
        self.assertRegex(late["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], r"^([\w.~-]|%[0-9A-F]{2})+$")

    def test_sarif_fits_the_schema(self):
        schema = os.environ.get("RINGSIDE_SARIF_SCHEMA") or self.skipTest("RINGSIDE_SARIF_SCHEMA names no file")
        with open(schema, encoding="utf-8") as file:
            jsonschema.validate(json.loads(self.report("sarif")), json.load(file))

    def test_github_has_one_line_a_finding(self):
        lines = self.report("github").splitlines()
        commands = {"problem": "error", "warning": "warning", "info": "notice"}
        titles = {finding["title"]: finding for finding in self.losses()}
        self.assertEqual(len(lines), len(titles) + 1)  # and the verdict
        for line in lines[:-1]:
            command, title, message = re.fullmatch(r"::(\w+) title=([^:,]*)::(.*)", line).groups()
            finding = titles.pop(message.replace("%25", "%").partition(". Cost: ")[0])
            self.assertEqual((command, title), (commands[finding["severity"]], "Ringside " + finding["rule"]))

    def test_benchmark_json_has_measured_figures_only(self):
        figures = {figure["name"]: figure for figure in json.loads(self.report("benchmark-json"))}
        self.assertEqual(figures["step time, median"]["value"], self.result["steps"]["median_ns"] / 1e6)
        self.assertTrue(all("emulated" in figure["extra"] for figure in figures.values()))
        self.assertTrue(all(isinstance(figure["value"], (int, float)) for figure in figures.values()))

    def test_html_is_one_valid_page_that_loads_nothing(self):
        file = self.folder / "page.html"
        file.write_text(self.report("html"))
        self.assertLess(file.stat().st_size, 5_000_000)
        checked = subprocess.run(["tidy", "-q", "-e", file], capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        page = Page(file.read_text())
        self.assertEqual(page.loads, [])
        self.assertEqual(page.bars, 1 + len(self.result["ranks"]))  # and the legend's
        self.assertIn(f"Ringside: {NAME}.ringside [emulated]", page.text)
        for finding in self.result["findings"]:
            self.assertIn(finding["title"], page.text)


if __name__ == "__main__":
    lab.main()
