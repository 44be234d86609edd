# SPDX-License-Identifier: Apache-2.0
"""What it costs to time NCCL's kernels for the whole job (profile auto after its 60 steps), as CPU time of all processes of the
trainer (emulated GPU, 2 ranks): lateness_cost.py BUILD.

Pairs of runs, in turn: profile light, which times none, and profile auto whose recorded steps never come, which is light but for
the timing. Both have the same steps, calls and marks. The CPU time of a run moves far less than its wall time, and the median of
the pairs' differences less still. The share is of the step time, because a step waits for the CPU time at most once."""

import os
import statistics
import subprocess

import job_cost

PAIRS = int(os.environ.get("RINGSIDE_BENCH_PAIRS", 21))
BUDGET = 0.003
NEVER = str(10**9)
TIMED_SQL = "SELECT count(nccl_ns) AS timed, count(*) AS steps FROM step_summary"


def run(timed):
    """(step in ms, CPU ms a step, steps with the time of NCCL's kernels, all of them)."""
    more = {"RINGSIDE_START_STEP": NEVER, "RINGSIDE_STEPS": "1"} if timed else {}
    step_ms, cpu_s, _ = job_cost.run("auto" if timed else "light", more)
    words = [job_cost.BUILD / "bin" / "ringside", "query", job_cost.SCRATCH / "job.ringside", TIMED_SQL, "--format", "csv"]
    counted = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()[-1]
    return step_ms, cpu_s * 1e3, *(int(number) for number in counted.split(","))


def main():
    job_cost.SCRATCH.mkdir(parents=True, exist_ok=True)
    pairs = []
    for number in range(PAIRS):
        first = number % 2 == 0
        results = {timed: run(timed) for timed in (first, not first)}
        pairs.append((results[False], results[True]))
    if any(without[2] or with_[2] < with_[3] / 2 for without, with_ in pairs):
        raise SystemExit("lateness_cost.py: the runs of a pair do not differ in what they time")
    more = sorted(with_[1] - without[1] for without, with_ in pairs)
    step_ms = statistics.median(without[0] for without, _ in pairs)
    low, middle, high = statistics.quantiles(more, n=4)
    print(f"lateness for the whole job (emulated GPU, {job_cost.RANKS} ranks, {job_cost.STEPS} steps, {PAIRS} pairs): a step takes {step_ms:.2f} ms and "
          f"{statistics.median(without[1] for without, _ in pairs):.3f} ms of CPU in all processes")
    print(f"timing NCCL's kernels adds {middle * 1e3:.1f} us of CPU a step (middle half of the pairs {low * 1e3:.1f} to {high * 1e3:.1f}): "
          f"{middle / job_cost.RANKS / step_ms:.2%} of the step a rank; budget {BUDGET:.1%}")


main()
