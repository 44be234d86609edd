# SPDX-License-Identifier: Apache-2.0
"""Two ranks on one GPU, so that NCCL has kernels and operations; both agree with torch.profiler. Skipped if NCCL refuses."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_report
import gpu_lab
import profiler_run

LIMIT_S = 240
STEPS = 400
OF_RANK_SQL = "SELECT rank, (SELECT count(*) FROM nccl_operation) AS operations, (SELECT count(*) FROM collective_call) AS calls FROM rank"


def job(*options):
    return gpu_lab.torch_job("two_ranks.py", gpu_lab.JOBS / "profiled.py", "--steps", STEPS, "--profile-from", 100, "--trace", *options)


gpu_lab.need_torch()
bare = gpu_lab.WORK / "bare.trace.json"
gpu_lab.need_job(job(bare))
trace = gpu_lab.WORK / "two_ranks.trace.json"
run, _ = gpu_lab.record("two_ranks", ["--profile", "standard"], job(trace))
check_report.check(run, ranks=(0, 1))
files = {}
for file in gpu_lab.process_files(run):
    row = gpu_lab.query(file, OF_RANK_SQL)[0]
    print(file.name, row)
    files[row["rank"]] = file
    gpu_lab.expect(row["operations"] >= STEPS, f"rank {row['rank']}: NCCL told of {row['operations']} operations, expected one a step")
profiler_run.compare(files[0], trace)
