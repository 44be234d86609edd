# SPDX-License-Identifier: Apache-2.0
"""Kernels of steps in the middle, and of no others."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_report
import gpu_lab

LIMIT_S = 60
FIRST, STEPS = 50, 40
# The GPU is behind the host: what the last steps of a window launched may run after it has closed.
LEAST_STEPS = STEPS // 2

run, _ = gpu_lab.record("trainer_window", ["--profile", "standard", "--start-step", FIRST, "--steps", STEPS], gpu_lab.trainer(200))
steps = gpu_lab.query(run, check_report.STEPS_SQL)
launches = gpu_lab.query(run, check_report.LAUNCHES_SQL)
with_work = [number for number, step in enumerate(check_report.launches_of_steps(steps, launches), 1) if step["ran"]]
print(f"steps with kernels: {with_work}")
gpu_lab.expect(with_work == list(range(FIRST, FIRST + len(with_work))) and LEAST_STEPS <= len(with_work) <= STEPS,
               f"expected kernels in steps {FIRST} to {FIRST + STEPS - 1}, the last few perhaps left out, and in no others")
check_report.check(run)
