# SPDX-License-Identifier: Apache-2.0
"""torch.profiler inside of our window: it has its kernels, we have ours before and after, both agree."""

import check_report
import gpu_lab
import profiler_run

PROFILE_FROM = 100
GO_ON_S = 4  # after the profiler, in which CUPTI is taken back

run, trace = profiler_run.run("profiler_inside", ["--profile", "standard"], PROFILE_FROM, "--go-on-s", GO_ON_S)
rows = check_report.launches_of_steps(gpu_lab.query(run, check_report.STEPS_SQL), gpu_lab.query(run, check_report.LAUNCHES_SQL))
with_work = [number for number, step in enumerate(rows) if step["ran"]]
before, after = sum(number < PROFILE_FROM for number in with_work), sum(number > PROFILE_FROM for number in with_work)
print(f"steps with our kernels: {before} before the profiler, {after} from then on")
gpu_lab.expect(before and after, f"steps with kernels: {before} before the profiler, {after} after; expected some on both sides")
gap = gpu_lab.query(run, "SELECT message FROM issue WHERE id = 'device_handed_over'")
gpu_lab.expect(gap, "the run does not say what it missed while the profiler ran")
profiler_run.compare(run, trace)
