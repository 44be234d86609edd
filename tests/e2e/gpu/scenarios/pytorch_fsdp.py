# SPDX-License-Identifier: Apache-2.0
"""FSDP 2 on one GPU, down to its last steps."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_report
import gpu_lab

LIMIT_S = 180
STEPS = 400

gpu_lab.need_torch()
gpu_lab.need_job(gpu_lab.torch_job("fsdp.py", "--steps", 20))
run, _ = gpu_lab.record("pytorch_fsdp", ["--profile", "standard"], gpu_lab.torch_job("fsdp.py", "--steps", STEPS))
check_report.check(run, STEPS)
