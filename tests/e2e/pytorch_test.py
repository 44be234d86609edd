# SPDX-License-Identifier: Apache-2.0
"""Python with PyTorch, DDP over Gloo and no GPU: the collector is silent and harmless, the job computes the same bits, and the
marks of the Python module are recorded, with the host's figures. A data loader that is too slow for a GPU is reported."""

import importlib.util
import json
import os
import sys
import unittest

import lab

TRAINING = lab.ROOT / "tests" / "e2e" / "ddp_gloo.py"
FED_LOOP = TRAINING.with_name("fed_loop.py")
MODULE = lab.ROOT / "collector" / "python"
STEPS = 20  # of both
WAITS = STEPS + 2  # and for the iterator, and to hear that there is no more
MARKS_SQL = """SELECT rank, (SELECT count(*) FROM step_mark AS s WHERE s.process_id = rank.process_id) AS steps,
  (SELECT count(*) FROM user_range AS r JOIN string USING (process_id) WHERE r.process_id = rank.process_id
     AND string.id = name_id AND text = 'data loading') AS waits FROM rank ORDER BY rank"""
HOST_SQL = """SELECT rank, metric, count(*) AS samples, min(value) AS smallest, max(value) AS largest FROM sample JOIN series
  USING (process_id) JOIN rank USING (process_id) WHERE series.id = series_id AND series.source = 'process' GROUP BY rank, metric"""


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch (Debian: python3-torch) is not installed")
class PyTorch(lab.Scenario):
    def command(self):
        return [sys.executable, TRAINING]

    def environment(self, **more):
        return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}

    def test_nothing_changes_and_nothing_is_said(self):
        bare = lab.run(self.command(), environment=self.environment())
        directory = self.folder / "silent.ringside"
        recorded = lab.record(directory, self.command(), environment=self.environment())
        self.assertIn("parameters", bare.stdout)
        self.assertEqual(recorded.stdout, bare.stdout)
        self.assertNotIn("ringside[", recorded.stderr)
        self.assertIn("nothing recorded", recorded.stderr)
        self.assertEqual([each.name for each in directory.iterdir()], [])

    def rows(self, directory, sql):
        """Of one merged file, so that process ids differ."""
        merged = directory.with_suffix(".db")
        if not merged.exists():
            lab.run([lab.RINGSIDE, "merge", directory, "-o", merged])
        return json.loads(lab.run([lab.RINGSIDE, "query", merged, sql, "--format", "json"]).stdout)

    def test_marks_and_host_figures_are_recorded_and_change_no_bit(self):
        bare = lab.run(self.command(), environment=self.environment())
        marked = self.environment(RINGSIDE_MARKS="1", PYTHONPATH=str(MODULE), RINGSIDE_SAMPLE_MS="20")
        self.assertEqual(lab.run(self.command(), environment=marked).stdout, bare.stdout)
        directory = self.folder / "marked.ringside"
        recorded = lab.record(directory, self.command(), environment=marked)
        self.assertEqual(recorded.stdout, bare.stdout)
        self.assertNotIn("ringside[", recorded.stderr)
        self.assertEqual(self.rows(directory, MARKS_SQL),
                         [{"rank": rank, "steps": STEPS, "waits": WAITS} for rank in range(2)])  # and none of the loaders' workers
        host = {(row["rank"], row["metric"]): row for row in self.rows(directory, HOST_SQL)}
        for rank in range(2):
            self.assertGreater(host[rank, "rss_bytes"]["smallest"], 10_000_000)
            self.assertGreater(host[rank, "cpu_user_ns"]["largest"], host[rank, "cpu_user_ns"]["smallest"])
        result = lab.report(directory)
        self.assertEqual(result["coverage"]["steps"]["total"], STEPS)
        self.assertEqual(result["run"]["tiers"]["sampled"], [0, 1])

    def fed(self, name, milliseconds):
        directory = self.folder / f"{name}.ringside"
        environment = {**lab.emulated_gpu(), "PYTHONPATH": str(MODULE), "PYTHONDONTWRITEBYTECODE": "1"}
        lab.record(directory, [sys.executable, FED_LOOP, milliseconds], environment=environment)
        return lab.report(directory)

    def test_a_loader_that_is_too_slow_stalls_the_gpu(self):
        milliseconds = self.draw.uniform(15, 40)
        stall = self.finding(self.fed("slow", milliseconds), "data_loading_stall", ranks=[0])
        self.assertGreaterEqual(stall["cost_ns_per_step"], 0.9 * milliseconds * 1e6)
        self.assertNotIn("data_loading_stall", [each["rule"] for each in self.fed("fast", 0)["findings"]])

    def test_a_failing_job_fails_as_before(self):
        command = [sys.executable, "-c", "import torch, sys; torch.ones(3).sum(); sys.exit(9)"]
        lab.record(self.folder / "failing.ringside", command, expect=9, environment=self.environment())


if __name__ == "__main__":
    lab.main()
