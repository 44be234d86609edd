# SPDX-License-Identifier: Apache-2.0
"""Two ranks on one GPU that communicate through Gloo, as where NCCL refuses: kernels and steps of both, and no NCCL."""

import check_report
import gpu_lab

STEPS = 60

gpu_lab.need_torch()
job = gpu_lab.torch_job("two_ranks.py", gpu_lab.JOBS / "ddp.py", "--gloo", "--width", 512, "--steps", STEPS)
run, _ = gpu_lab.record("gloo", ["--profile", "standard"], job)
check_report.check(run, tiers=("host", "nvtx", "device", "sampled"), ranks=(0, 1))
for file in gpu_lab.process_files(run):
    rows = list(check_report.launches_of_steps(gpu_lab.query(file, check_report.STEPS_SQL), gpu_lab.query(file, check_report.LAUNCHES_SQL)))
    found = list(check_report.flush_complaints(rows, STEPS))
    gpu_lab.expect(not found, f"{file.name}: {'; '.join(found)}")
print(f"{STEPS} steps of both ranks")
