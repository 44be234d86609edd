# SPDX-License-Identifier: Apache-2.0
"""PyTorch's DistributedDataParallel, down to its last steps."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_report
import gpu_lab

LIMIT_S = 90
STEPS = 1000  # many of CUPTI's buffers

gpu_lab.need_torch()
run, _ = gpu_lab.record("pytorch_ddp", ["--profile", "standard"], gpu_lab.torch_job("ddp.py", "--steps", STEPS))
check_report.check(run, STEPS)
