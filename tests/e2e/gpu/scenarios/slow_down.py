# SPDX-License-Identifier: Apache-2.0
"""Time of a step without us, and under light, standard and deep: slow-down with confidence intervals."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import gpu_lab
import slow_down

LIMIT_S = 560

job = gpu_lab.torch_job("ddp.py", "--steps", 1500, "--time-from", 100)
slow_down.measure([slow_down.PLAIN, "light", "standard", "deep"], job, limit_s=500)
