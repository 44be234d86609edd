# SPDX-License-Identifier: Apache-2.0
"""Time of a step without us, and under light, auto after its window, and standard: slow-down with confidence intervals."""

import gpu_lab
import slow_down

job = gpu_lab.torch_job("ddp.py", "--steps", 1000, "--time-from", 100)
slow_down.measure(["light", "auto", "standard"], job)
