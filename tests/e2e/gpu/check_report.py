# SPDX-License-Identifier: Apache-2.0
"""Checks a run on a real GPU: its report, and its last steps, which would have no kernels if the last flush was
lost."""

import bisect
import statistics

import gpu_lab

# Tiers that a training with NCCL on a GPU must show.
TIERS = ("host", "nvtx", "nccl", "device", "sampled")
PARTS = ("compute_ns", "exposed_communication_ns", "exposed_copy_ns", "idle_ns")
LAST_STEPS = 3
COMPLETE = 0.9  # share of the usual number; a job may do a little less in one step
STEPS_SQL = """SELECT start_ns, end_ns FROM user_range JOIN string USING (process_id)
  WHERE string.id = name_id AND text LIKE 'ProfilerStep#%' ORDER BY start_ns"""
LAUNCHES_SQL = """SELECT start_ns, correlation IN (SELECT correlation FROM kernel UNION SELECT correlation FROM copy) AS ran
  FROM launch ORDER BY start_ns"""


def report_complaints(report, tiers=TIERS, ranks=(0,)):
    if report["run"]["ranks_present"] != list(ranks):
        yield f"ranks present: {report['run']['ranks_present']}, expected {list(ranks)}"
    for tier in tiers:
        if not report["run"]["tiers"].get(tier):
            yield f"the tier {tier} was not active: its reason is in table tier of the run"
    if report["coverage"]["steps"]["total"] < 10:
        yield f"{report['coverage']['steps']['total']} steps found, expected at least 10"
    for rank in report["ranks"]:
        if not rank["compute_ns"]:
            yield f"rank {rank['rank']} shows no compute kernels"
        elif sum(rank[part] for part in PARTS) != rank["step_ns"]:
            yield f"the parts of rank {rank['rank']} do not sum to its step"


def launches_of_steps(steps, launches):
    """A row a step: how many launches it made, and how many of them have device work."""
    starts = [launch["start_ns"] for launch in launches]
    for step in steps:
        inside = launches[bisect.bisect_left(starts, step["start_ns"]):bisect.bisect_right(starts, step["end_ns"])]
        yield {"launches": len(inside), "ran": sum(launch["ran"] for launch in inside)}


def flush_complaints(steps, number_of_steps):
    """`steps`: of launches_of_steps, where the device tier was on to the end of a job of so many marked steps."""
    if len(steps) != number_of_steps:
        yield f"{len(steps)} of {number_of_steps} steps were recorded"
        return
    # Not all launches have device work: some record events.
    usual = statistics.median(step["ran"] for step in steps)
    for number, step in list(enumerate(steps))[-LAST_STEPS:]:
        if step["ran"] < COMPLETE * usual:
            yield f"step {number}: {step['ran']} of {step['launches']} launches have device work, of other steps {usual:g}"


def check(directory, number_of_steps=None, tiers=TIERS, ranks=(0,)):
    """Fails the scenario with all complaints; the last steps are looked at where `number_of_steps` is given."""
    gpu_lab.tiers(directory)
    found = list(report_complaints(gpu_lab.report(directory), tiers, ranks))
    if number_of_steps is not None:
        rows = launches_of_steps(gpu_lab.query(directory, STEPS_SQL), gpu_lab.query(directory, LAUNCHES_SQL))
        found += flush_complaints(list(rows), number_of_steps)
    gpu_lab.expect(not found, "; ".join(found))
