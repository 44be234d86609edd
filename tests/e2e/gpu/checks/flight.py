# SPDX-License-Identifier: Apache-2.0
"""A job that is looked at while it runs, writes down what its flight recorder holds, and goes on."""

import subprocess
import time

import check_report
import gpu_lab

LOOK_AFTER_S = 8
GOES_ON_S = 3
STEPS = 10_000_000  # more than it will make: it is ended

directory = gpu_lab.WORK / "flight.ringside"
words = gpu_lab.ringside_command("record", "-o", directory, "--profile", "standard", "--keep-last", "20s", "--", *gpu_lab.trainer(STEPS))
job = subprocess.Popen([str(word) for word in words])
time.sleep(LOOK_AFTER_S)
gpu_lab.expect(job.poll() is None, f"the job ended by itself with code {job.returncode}")
gpu_lab.ringside("hang", directory, check=False)
gpu_lab.ringside("record", "--attach-control", directory, "dump")
time.sleep(GOES_ON_S)
gpu_lab.expect(job.poll() is None, f"the job ended with code {job.returncode} after it wrote down what it held")
job.terminate()
job.wait()
check_report.check(directory)
print("looked at, written down, and ended: the run is whole")
