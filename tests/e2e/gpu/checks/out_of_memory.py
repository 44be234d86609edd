# SPDX-License-Identifier: Apache-2.0
"""A job that runs out of device memory: its error and its code are its own, and all steps before are there."""

import check_report
import gpu_lab

STEPS = 100

gpu_lab.need_torch()
run = gpu_lab.WORK / "out_of_memory.ringside"
job = gpu_lab.torch_job("out_of_memory.py", "--steps", STEPS)
done = gpu_lab.ringside("record", "-o", run, "--profile", "standard", "--", *job, check=False)
gpu_lab.expect(done.returncode == 1, f"code {done.returncode}, expected Python's own 1")
gpu_lab.expect("OutOfMemoryError" in done.stdout, "PyTorch's error is not in the job's output")
check_report.check(run, STEPS)
print(f"{STEPS} steps before the error, all whole")
