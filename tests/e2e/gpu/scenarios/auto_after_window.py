# SPDX-License-Identifier: Apache-2.0
"""Steps 70 to 200, after auto has let go of CUPTI, against light, which never had it: what stays slower."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import gpu_lab
import slow_down

LIMIT_S = 420

slow_down.measure(["light", "auto"], gpu_lab.torch_job("ddp.py", "--steps", 200, "--time-from", 70), limit_s=360)
