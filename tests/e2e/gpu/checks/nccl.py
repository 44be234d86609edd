# SPDX-License-Identifier: Apache-2.0
"""NCCL's profiler plugin with one rank and all events, by the reference trainer: which interface NCCL chose, and to the last steps."""

import check_report
import gpu_lab

STEPS = 1000
FIGURES_SQL = """SELECT (SELECT count(*) FROM nccl_operation) AS operations, (SELECT count(*) FROM collective_call) AS calls,
  (SELECT count(*) FROM channel_time) AS channel_times, (SELECT count(*) FROM proxy_step) AS proxy_steps,
  (SELECT coalesce(sum(records), 0) FROM dropped) AS dropped"""
CHOSEN_SQL = "SELECT name, value FROM setting WHERE name IN ('profiler_api', 'nccl')"

run, _ = gpu_lab.record("nccl", ["--profile", "deep"], gpu_lab.trainer(STEPS))
check_report.check(run, STEPS)
figures = gpu_lab.one(run, FIGURES_SQL)
settings = {row["name"]: row["value"] for row in gpu_lab.query(run, CHOSEN_SQL)}
gpu_lab.expect("profiler_api" in settings, f"the run does not say which profiler interface NCCL chose: {settings}")
# With one rank NCCL launches no kernel of its own and tells of no operation: zeros are what is expected of it, and so they are shown.
gpu_lab.expect(figures["calls"] >= STEPS, f"{figures['calls']} calls of NCCL, expected at least one a step")
print(f"NCCL {settings.get('nccl', 'of unknown version')}, interface {settings['profiler_api']}: " +
      ", ".join(f"{value} {name}" for name, value in figures.items()))
