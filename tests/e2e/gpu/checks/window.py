# SPDX-License-Identifier: Apache-2.0
"""All kernels of the steps in the middle; of others only those beside them."""

import statistics

import check_report
import gpu_lab

FIRST, STEPS = 50, 40
READY_AHEAD_STEPS = 3  # the device tier is made ready so many steps before
# The GPU is behind the host: the tier stays on until work that was launched after the window has run.
CATCHES_UP_NS = 10_000_000_000

run, _ = gpu_lab.record("window", ["--profile", "standard", "--start-step", FIRST, "--steps", STEPS], gpu_lab.trainer(200))
steps = gpu_lab.query(run, check_report.STEPS_SQL)
launches = gpu_lab.query(run, check_report.LAUNCHES_SQL)
with_work = {number: step["ran"] for number, step in enumerate(check_report.launches_of_steps(steps, launches), 1) if step["ran"]}
print(f"kernels of each step: {with_work}")
inside = [with_work.get(number, 0) for number in range(FIRST, FIRST + STEPS)]
gpu_lab.expect(min(inside) >= check_report.COMPLETE * statistics.median(inside),
               f"expected the kernels of each step from {FIRST} to {FIRST + STEPS - 1}, found {inside}")
over_ns = steps[FIRST + STEPS - 2]["end_ns"]
gpu_lab.expect(min(with_work) >= FIRST - READY_AHEAD_STEPS and steps[max(with_work) - 1]["start_ns"] <= over_ns + CATCHES_UP_NS,
               f"expected no kernels of steps far from the window, found them in {sorted(with_work)}")
check_report.check(run)
print(f"kernels of steps {min(with_work)} to {max(with_work)}, the window was {FIRST} to {FIRST + STEPS - 1}")
