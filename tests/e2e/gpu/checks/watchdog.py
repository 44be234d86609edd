# SPDX-License-Identifier: Apache-2.0
"""A collective that the GPU does not reach: PyTorch's watchdog ends the job, and the run shows where it hung."""

import signal

import check_report
import gpu_lab

STEPS = 100
ABORTED = -signal.SIGABRT  # `record` ends as the job did

gpu_lab.need_torch()
run = gpu_lab.WORK / "watchdog.ringside"
done = gpu_lab.ringside("record", "-o", run, "--profile", "standard", "--", *gpu_lab.torch_job("stuck.py", "--steps", STEPS), check=False)
gpu_lab.expect(done.returncode == ABORTED, f"code {done.returncode}, expected {int(ABORTED)}: the watchdog aborts")
gpu_lab.report(run)
hang = gpu_lab.ringside("hang", run, check=False)
gpu_lab.expect(hang.returncode == 0, f"hang ended with {hang.returncode}")
steps = gpu_lab.query(run, check_report.STEPS_SQL)
gpu_lab.expect(len(steps) == STEPS, f"{len(steps)} of {STEPS} steps are in the run")
print(f"{STEPS} steps, then: {next((line.strip() for line in hang.stdout.splitlines() if line.strip()), 'hang said nothing')}")
