# SPDX-License-Identifier: Apache-2.0
"""Measures the time of a step of the DDP job under several profiles, in rounds, and leaves the figures beside the log. Runs are
removed as soon as they are measured: the time counts, not what was recorded."""

import json
import shutil

import gpu_lab
import intervals

PLAIN = "plain"


def step_ns(profile, job):
    if profile == PLAIN:
        return gpu_lab.job_result(gpu_lab.run(job).stdout)["step_ns"]
    directory, output = gpu_lab.record(profile, ["--profile", profile], job)
    shutil.rmtree(directory)
    return gpu_lab.job_result(output)["step_ns"]


def measure(kinds, job, limit_s, most=20):
    """Compares all kinds with the first; prints the table and returns {kind: [ns]}."""
    gpu_lab.need_torch()
    gpu_lab.run(job)  # the first of all finds cold caches
    results = intervals.rounds(kinds, lambda kind, number: step_ns(kind, job), limit_s, most)
    text = intervals.table(results, kinds[0])
    print(text)
    (gpu_lab.WORK / "slow_down.txt").write_text(text + "\n")
    (gpu_lab.WORK / "slow_down.json").write_text(json.dumps(results))
    gpu_lab.expect(len(results[kinds[0]]) >= intervals.LEAST_ROUNDS, f"only {len(results[kinds[0]])} rounds in {limit_s} s: no interval")
    return results
