# SPDX-License-Identifier: Apache-2.0
"""A job that is looked at while it runs, and writes down what its flight recorder holds."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import subprocess
import time

import check_report
import gpu_lab

LIMIT_S = 90
LOOK_AFTER_S = 8
STEPS = 20000

directory = gpu_lab.WORK / "trainer_flight.ringside"
words = gpu_lab.ringside_command("record", "-o", directory, "--profile", "standard", "--keep-last", "20s", "--", *gpu_lab.trainer(STEPS))
job = subprocess.Popen([str(word) for word in words])
time.sleep(LOOK_AFTER_S)
gpu_lab.expect(job.poll() is None, f"the job ended within {LOOK_AFTER_S} s: give it more steps")
gpu_lab.ringside("hang", directory, check=False)
gpu_lab.ringside("record", "--attach-control", directory, "dump")
gpu_lab.expect(job.wait() == 0, f"the job ended with code {job.returncode}")
found = list(check_report.report_complaints(gpu_lab.report(directory)))
gpu_lab.expect(not found, "; ".join(found))
