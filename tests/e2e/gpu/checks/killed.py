# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the job and of `ringside record` at once, then `ringside recover`: the steps up to the last moment."""

import os
import pathlib
import signal
import subprocess
import time

import check_report
import gpu_lab

RUNS_ON_S = 2
LOST_NS = 1_000_000_000  # a step takes milliseconds


def python_of(run):
    """Process ids of the job, by its traces."""
    return [int(file.stem.rpartition("-")[2]) for file in gpu_lab.process_files(run)]


gpu_lab.need_torch()
run, process = gpu_lab.killed_job("killed", gpu_lab.torch_job("ddp.py", "--steps", 10_000_000), "steady")
time.sleep(RUNS_ON_S)
pids = python_of(run)
gpu_lab.expect(len(pids) == 1, f"traces of processes {pids}, expected the job's alone")
process.kill()
os.kill(pids[0], signal.SIGKILL)
killed_ns = time.monotonic_ns()
process.wait()
while pathlib.Path(f"/proc/{pids[0]}").exists() and pathlib.Path(f"/proc/{pids[0]}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
    time.sleep(0.1)  # the driver takes its time
gpu_lab.ringside("recover", run)
gpu_lab.report(run)
steps = gpu_lab.query(run, check_report.STEPS_SQL)
gpu_lab.expect(len(steps) > 10, f"{len(steps)} steps are in the run")
missed_ns = killed_ns - steps[-1]["start_ns"]
gpu_lab.expect(missed_ns < LOST_NS, f"the last step begins {missed_ns} ns before the end")
subprocess.run([str(word) for word in gpu_lab.ringside_command("recover", "--list")], check=False)
print(f"{len(steps)} steps, the last one {missed_ns / 1e6:.0f} ms before the end")
