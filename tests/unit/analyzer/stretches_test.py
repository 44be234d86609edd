# SPDX-License-Identifier: Apache-2.0
"""A long run is read in stretches, and the report stays the same: stretches_test.py RINGSIDE MAKE_JOB PARALLEL_JOBS SCHEMA"""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

import jsonschema

import cases

RINGSIDE, MAKE_JOB, PARALLEL_JOBS = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
SCHEMA = json.loads(pathlib.Path(sys.argv.pop(1)).read_text(encoding="utf-8"))
WHOLE = 1024  # MiB
CUT = 1  # the shortest stretches that there are


def report(run, memory, *arguments):
    text = subprocess.run([RINGSIDE, "report", str(run), "--memory", str(memory), "--format", "json", *arguments], check=True,
                          capture_output=True, text=True).stdout
    document = json.loads(text)
    jsonschema.validate(document, SCHEMA)
    return document


class Stretches(cases.FolderCase):
    def job(self, ranks, steps, fault):
        run = self.folder / f"{fault}_{ranks}.ringside"
        subprocess.run([MAKE_JOB, run, str(ranks), str(steps), fault], check=True)
        return run

    def both(self, run):
        whole, cut = report(run, WHOLE), report(run, CUT)
        self.assertEqual(whole["coverage"]["stretches"], 1)
        self.assertGreater(cut["coverage"]["stretches"], 2)
        self.assertEqual(cut["coverage"]["steps"], whole["coverage"]["steps"])
        self.assertEqual(cut["issues"], whole["issues"])
        return whole, cut

    def test_one_host_has_the_same_figures_to_the_last_bit(self):
        whole, cut = self.both(self.job(8, 100, "late_rank"))
        for part in ("run", "summary", "ranks", "collectives"):
            self.assertEqual(cut[part], whole[part], part)

    def test_hosts_differ_by_no_more_than_their_clocks(self):
        whole, cut = self.both(self.job(16, 90, "slow_host"))
        of_clocks = {"wait_ns", "transfer_ns", "useful_utilization", "last_arrivals", "lost_ns", "per_step", "mean"}
        for before, after in zip(whole["ranks"], cut["ranks"], strict=True):
            self.assertEqual({k: v for k, v in after.items() if k not in of_clocks}, {k: v for k, v in before.items() if k not in of_clocks})
            calls = sum(group["count"] for group in whole["collectives"])
            error = 2 * whole["coverage"]["clock_residual_ns"] * calls
            self.assertLess(abs(after["wait_ns"] - before["wait_ns"]), error)

    def test_findings_are_judged_in_each_stretch_and_their_costs_are_means(self):
        for fault, rule in (("late_rank", "late_rank"), ("slow_rail", "collective_bandwidth_low"), ("rotating", "data_skew")):
            whole, cut = self.both(self.job(32, 80, fault))
            before = next(each for each in whole["findings"] if each["rule"] == rule)
            after = next(each for each in cut["findings"] if each["rule"] == rule)
            self.assertEqual((after["severity"], after["ranks"]), (before["severity"], before["ranks"]))
            self.assertLess(abs(after["cost_ns_per_step"] - before["cost_ns_per_step"]), 0.05 * before["cost_ns_per_step"])
            self.assertRegex(after["title"], r"\(figures of steps \d+ to \d+; found in 4 of 4 stretches\)")
            self.assertEqual(cut["verdict"]["limited_by"], whole["verdict"]["limited_by"])

    def test_a_merged_file_is_cut_like_its_folder(self):
        run = self.job(8, 60, "late_rank")
        merged = self.folder / "merged.db"
        subprocess.run([RINGSIDE, "merge", run, "-o", merged], check=True, capture_output=True)
        of_folder, of_file = report(run, CUT), report(merged, CUT)
        self.assertEqual(of_file["ranks"], of_folder["ranks"])

    def test_sends_and_receives_of_pipelines_and_experts_match_across_the_cuts(self):
        for seed, rule in ((1001, "late_rank"), (1002, "pipeline_stage_imbalance"), (1007, "expert_imbalance"), (1021, "slow_link")):
            run = self.folder / "parallel.ringside"
            shutil.rmtree(run, ignore_errors=True)
            subprocess.run([PARALLEL_JOBS, str(seed), run, "60"], check=True, capture_output=True)
            whole, cut = self.both(run)
            self.assertEqual(whole["findings"][0]["rule"], rule)
            self.assertEqual([(each["rule"], each["ranks"]) for each in cut["findings"][:1]],
                             [(each["rule"], each["ranks"]) for each in whole["findings"][:1]])
            self.assertEqual(cut["messages"], whole["messages"])

    def test_the_text_says_how_it_was_read(self):
        text = subprocess.run([RINGSIDE, "report", f"{self.job(8, 60, 'late_rank')}/", "--memory", str(CUT)], check=True,
                              capture_output=True, text=True).stdout
        self.assertTrue(text.startswith("Ringside: late_rank_8.ringside - "), text)  # also with a slash behind the name
        self.assertIn("Read in 3 stretches of steps", text)


if __name__ == "__main__":
    unittest.main()
