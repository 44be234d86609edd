# SPDX-License-Identifier: Apache-2.0
"""The reference trainer with all events of NCCL."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_report
import gpu_lab

LIMIT_S = 60
STEPS = 200

run, _ = gpu_lab.record("trainer_deep", ["--profile", "deep"], gpu_lab.trainer(STEPS))
check_report.check(run, STEPS)
print(gpu_lab.query(run, """SELECT (SELECT count(*) FROM nccl_operation) AS nccl_operations,
  (SELECT count(*) FROM channel_time) AS channel_times, (SELECT count(*) FROM proxy_step) AS proxy_steps,
  (SELECT coalesce(sum(records), 0) FROM dropped) AS dropped"""))
