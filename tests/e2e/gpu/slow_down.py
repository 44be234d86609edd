# SPDX-License-Identifier: Apache-2.0
"""Measures the time of a step, or of a whole job, under several profiles against the same without us, in rounds. Figures are written
after every round. Runs are removed as soon as they are measured: the time counts, not what was recorded."""

import json
import shutil
import time

import gpu_lab
import intervals

PLAIN = "plain"
ROUNDS = 5
SPARE_S = 3  # of the time that the check is given


def measured_ns(profile, job, of_step):
    begin = time.monotonic_ns()
    if profile == PLAIN:
        output = gpu_lab.run(job).stdout
    else:
        directory, output = gpu_lab.record(profile, ["--profile", profile], job)
    took_ns = time.monotonic_ns() - begin
    if profile != PLAIN:
        shutil.rmtree(directory)
    return gpu_lab.job_result(output)["step_ns"] if of_step else took_ns


def keep(results):
    text = intervals.table(results, PLAIN)
    (gpu_lab.WORK / "slow_down.txt").write_text(text + "\n")
    (gpu_lab.WORK / "slow_down.json").write_text(json.dumps(results))
    return text


def measure(profiles, job, of_step=True):
    """As many rounds as the check's time allows."""
    gpu_lab.need_torch()
    begin = time.monotonic()
    gpu_lab.run(job)  # the first of all finds cold caches
    left_s = gpu_lab.SECONDS - SPARE_S - (time.monotonic() - begin)
    results = intervals.rounds([PLAIN, *profiles], lambda kind, _: measured_ns(kind, job, of_step), left_s, ROUNDS, each_round=keep)
    print(keep(results))
    made = len(results[PLAIN])
    gpu_lab.expect(made >= intervals.LEAST_ROUNDS, f"only {made} rounds in {gpu_lab.SECONDS:.0f} s: no interval")
    print(f"{made} rounds: " + ", ".join("{} {:+.2f} % ({:+.2f} to {:+.2f})".format(kind, *intervals.slow_down(results[PLAIN], values))
                                         for kind, values in results.items() if kind != PLAIN))
