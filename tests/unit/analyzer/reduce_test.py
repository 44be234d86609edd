# SPDX-License-Identifier: Apache-2.0
"""Summaries of hosts on the command line: reduce_test.py RINGSIDE MAKE_JOB SCHEMA"""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

import jsonschema

import cases

RINGSIDE, MAKE_JOB = sys.argv.pop(1), sys.argv.pop(1)
SCHEMA = json.loads(pathlib.Path(sys.argv.pop(1)).read_text(encoding="utf-8"))
HOSTS = ("node1000", "node1001", "node1002", "node1003")
LATE = 19  # of 32 ranks


def ringside(*arguments, expect=0):
    done = subprocess.run([RINGSIDE, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != expect:
        raise AssertionError(f"exit code {done.returncode}, expected {expect}: {arguments}\n{done.stdout}\n{done.stderr}")
    return done


def report(run):
    document = json.loads(ringside("report", run, "--format", "json").stdout)
    jsonschema.validate(document, SCHEMA)
    return document


class Reduce(cases.FolderCase):
    def setUp(self):
        super().setUp()
        self.run_directory = self.folder / "job.ringside"
        self.summaries = self.folder / "summaries"

    def job(self, fault="late_rank", ranks=32, steps=100):
        subprocess.run([MAKE_JOB, self.run_directory, str(ranks), str(steps), fault], check=True)
        return self.run_directory

    def reduced(self, *options, **job):
        """A directory of summaries alone: each host was reduced by itself, and the traces are gone."""
        self.job(**job)
        for host in HOSTS:
            ringside("reduce", self.run_directory, "--host", host, "-o", self.summaries, *options)
        shutil.rmtree(self.run_directory)
        return self.summaries

    def test_the_report_names_the_rank_that_the_traces_name(self):
        before = report(self.job())
        shutil.rmtree(self.run_directory)
        after = report(self.reduced())
        self.assertEqual(after["findings"][0]["rule"], before["findings"][0]["rule"])
        self.assertEqual(after["findings"][0]["ranks"], [LATE])
        self.assertEqual(after["verdict"]["limited_by"], "late_rank")
        self.assertEqual(after["run"]["ranks_present"], before["run"]["ranks_present"])
        self.assertEqual(after["run"]["hosts"], before["run"]["hosts"])
        cost, summarized = (each["findings"][0]["cost_ns_per_step"] for each in (before, after))
        self.assertLess(abs(summarized - cost), 0.2 * cost)
        self.assertFalse([each for each in after["issues"] if each["id"] == "collective_mismatch"])

    def test_lengths_of_steps_are_those_of_all_steps(self):
        before = report(self.job())
        shutil.rmtree(self.run_directory)
        after = report(self.reduced("--steps", 10))
        self.assertEqual(after["steps"]["median_ns"], before["steps"]["median_ns"])
        self.assertEqual(after["steps"]["p99_ns"], before["steps"]["p99_ns"])
        said = after["coverage"]["summaries"]
        self.assertEqual((said["processes"], said["steps"], len(said["parts"])), (32, 100, 10))
        self.assertLess(after["coverage"]["steps"]["analyzed"], 30)
        self.assertIsNone(before["coverage"]["summaries"])
        text = ringside("report", self.summaries).stdout
        self.assertIn("From summaries of hosts (32 of 32 processes)", text)

    def test_other_faults_are_found(self):
        for fault, rule in (("slow_host", "late_rank"), ("slow_rail", "collective_bandwidth_low"), ("rotating", "data_skew")):
            with self.subTest(fault):
                found = [each["rule"] for each in report(self.reduced(fault=fault))["findings"]]
                self.assertIn(rule, found)
                shutil.rmtree(self.summaries)

    def test_a_query_works_on_summaries(self):
        folder = self.reduced("--steps", 10)
        rows = json.loads(ringside("query", folder, "SELECT count(*) AS steps, count(compute_ns) AS measured FROM step_summary",
                                   "--format", "json").stdout)
        self.assertEqual(rows, [{"steps": 3200, "measured": 3136}])  # without the first and the last
        rows = json.loads(ringside("query", folder, "SELECT DISTINCT value FROM meta WHERE key = 'summary_of' ORDER BY 1 LIMIT 1",
                                   "--format", "json").stdout)
        self.assertEqual(rows, [{"value": str(self.run_directory / "node1000-100000.db")}])

    def test_a_damaged_summary_is_named_and_the_others_are_reported(self):
        folder = self.reduced()
        damaged = folder / "node1001.summary.db"
        damaged.write_bytes(b"SQLite format 3\0" + bytes(5000))
        document = report(folder)
        self.assertEqual(document["run"]["ranks_present"], [*range(8), *range(16, 32)])
        self.assertTrue([each for each in document["issues"] if each["id"] == "unreadable_file" and damaged.name in each["message"]])

    def test_a_damaged_trace_is_left_out_and_the_others_are_summarized(self):
        file = self.job() / "node1000-100003.db"
        file.write_bytes(file.read_bytes()[:5000])
        ringside("reduce", self.run_directory, "--host", "node1000", "-o", self.summaries)
        self.assertTrue((self.summaries / "node1000.summary.db").exists())

    def test_summaries_beside_the_traces_do_not_count(self):
        before = report(self.job(ranks=16, steps=40))
        said = ringside("reduce", self.run_directory).stderr
        self.assertEqual(said.count(".summary.db"), 2)
        after = report(self.run_directory)
        self.assertEqual(after, before)

    def test_no_step_in_full(self):
        document = report(self.reduced("--steps", 0))
        self.assertEqual(document["coverage"]["summaries"]["steps"], 100)
        self.assertIsNotNone(document["steps"]["median_ns"])
        self.assertIsNone(document["summary"]["gpu_utilization"]["mean"])  # not measured is not 0

    def test_what_cannot_be_done_is_said(self):
        self.job(ranks=16, steps=40)
        self.assertIn("Its hosts: node1000, node1001", ringside("reduce", self.run_directory, "--host", "other", expect=2).stderr)
        self.assertIn("does not exist", ringside("reduce", self.folder / "nowhere", expect=3).stderr)
        (self.run_directory / "node1000.summary.db").write_text("mine")
        self.assertIn("is not a summary", ringside("reduce", self.run_directory, expect=2).stderr)
        self.assertEqual((self.run_directory / "node1000.summary.db").read_text(), "mine")

    def test_a_second_time_gives_the_same_bytes_and_leaves_nothing_behind(self):
        self.job(ranks=16, steps=60)
        ringside("reduce", self.run_directory, "-o", self.summaries)
        before = {file.name: file.read_bytes() for file in self.summaries.iterdir()}
        ringside("reduce", self.run_directory, "-o", self.summaries)
        self.assertEqual({file.name: file.read_bytes() for file in self.summaries.iterdir()}, before)
        self.assertEqual(sorted(before), ["node1000.summary.db", "node1001.summary.db"])


if __name__ == "__main__":
    unittest.main()
