# SPDX-License-Identifier: Apache-2.0
"""The reference trainer with the device tier throughout, down to its last steps."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_report
import gpu_lab

LIMIT_S = 60
STEPS = 2000  # many of CUPTI's buffers

run, _ = gpu_lab.record("trainer_standard", ["--profile", "standard"], gpu_lab.trainer(STEPS))
check_report.check(run, STEPS)
