# SPDX-License-Identifier: Apache-2.0
"""torch.profiler after our window has closed: neither disturbs the other, both agree."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_report
import profiler_run

LIMIT_S = 150

run, trace = profiler_run.run("torch_profiler_outside", ["--profile", "standard", "--start-step", 20, "--steps", 60], profile_from=200)
check_report.check(run)
profiler_run.compare(run, trace)
