# SPDX-License-Identifier: Apache-2.0
"""Two ranks on one GPU, so that NCCL has kernels and operations; as many of all in torch.profiler's trace."""

import check_report
import gpu_lab
import profiler_run

STEPS = 60
PROFILE_FROM = 20
OF_RANK_SQL = """SELECT rank, (SELECT count(*) FROM nccl_operation) AS operations,
  (SELECT count(*) FROM collective_call) AS calls FROM rank"""

gpu_lab.need_torch()
trace = gpu_lab.WORK / "two_ranks.trace.json"
job = gpu_lab.torch_job("two_ranks.py", gpu_lab.JOBS / "profiled.py", "--steps", STEPS, "--width", 512, "--profile-from", PROFILE_FROM,
                        "--trace", trace)
run, _ = gpu_lab.record("two_ranks", ["--profile", "standard"], job)
check_report.check(run, ranks=(0, 1))
files = {}
for file in gpu_lab.process_files(run):
    row = gpu_lab.one(file, OF_RANK_SQL)
    files[row["rank"]] = file
    gpu_lab.expect(row["operations"] >= STEPS, f"rank {row['rank']}: NCCL told of {row['operations']} operations, expected one a step")
# The driver gives the GPU to the ranks in turns: how long a kernel took depends on the other rank.
profiler_run.compare(files[0], trace, lengths=False)
