# SPDX-License-Identifier: Apache-2.0
"""PyTorch with a libcupti that has no functions: the job goes on, and the reason is recorded."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import gpu_lab

LIMIT_S = 90

gpu_lab.need_torch()
switch = (gpu_lab.HERE / "without_cupti.sh", "--loadable")
gpu_lab.need_job([*switch, *gpu_lab.torch_job("ddp.py", "--steps", 20)])
run, _ = gpu_lab.record("without_cupti_pytorch", ["--profile", "standard"], gpu_lab.torch_job("ddp.py"), before=switch)
device = gpu_lab.tiers(run)["device"]
gpu_lab.report(run)
gpu_lab.expect(not device[0] and device[1], f"the device tier, expected inactive for a reason: {device}")
