# SPDX-License-Identifier: Apache-2.0
"""DDP under torch.compile, down to its last steps."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_report
import gpu_lab

LIMIT_S = 180
STEPS = 400

gpu_lab.need_torch()
gpu_lab.need_job(gpu_lab.torch_job("compiled.py", "--steps", 20))
run, _ = gpu_lab.record("pytorch_compiled", ["--profile", "standard"], gpu_lab.torch_job("compiled.py", "--steps", STEPS))
check_report.check(run, STEPS)
