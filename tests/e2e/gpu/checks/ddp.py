# SPDX-License-Identifier: Apache-2.0
"""PyTorch's DistributedDataParallel, recorded from its start to its last step: kernels, copies, calls, steps, NVML, report."""

import check_report
import gpu_lab

STEPS = 1000  # many of CUPTI's buffers
COUNTS_SQL = """SELECT (SELECT count(*) FROM kernel) AS kernels, (SELECT count(*) FROM copy) AS copies,
  (SELECT count(*) FROM launch) AS launches, (SELECT count(*) FROM collective_call) AS collectives,
  (SELECT count(*) FROM sample) AS samples, (SELECT coalesce(sum(records), 0) FROM dropped) AS dropped"""

gpu_lab.need_torch()
run, _ = gpu_lab.record("ddp", ["--profile", "standard"], gpu_lab.torch_job("ddp.py", "--steps", STEPS))
check_report.check(run, STEPS)
counts = gpu_lab.one(run, COUNTS_SQL)
empty = [name for name, count in counts.items() if not count and name != "dropped"]
gpu_lab.expect(not empty, f"the run has no {', no '.join(empty)}")
gpu_lab.expect(not counts["dropped"], f"{counts['dropped']} records were dropped")
device = gpu_lab.one(run, "SELECT name FROM device ORDER BY ordinal LIMIT 1")["name"]
print(f"{STEPS} steps on {device}: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
