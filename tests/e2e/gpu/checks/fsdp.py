# SPDX-License-Identifier: Apache-2.0
"""FSDP 2 on one GPU, down to its last steps."""

import check_report
import gpu_lab

STEPS = 400

gpu_lab.need_torch()
run, _ = gpu_lab.record("fsdp", ["--profile", "standard"], gpu_lab.torch_job("fsdp.py", "--steps", STEPS))
check_report.check(run, STEPS)
print(f"{STEPS} steps, the last ones whole")
