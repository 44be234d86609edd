# SPDX-License-Identifier: Apache-2.0
"""Time of a whole short job without us and under standard: what start and end cost."""

import gpu_lab
import slow_down

slow_down.measure(["standard"], gpu_lab.torch_job("ddp.py", "--steps", 12), of_step=False)
