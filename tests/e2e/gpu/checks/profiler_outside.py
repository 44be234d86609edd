# SPDX-License-Identifier: Apache-2.0
"""torch.profiler after our window has closed: neither disturbs the other, both agree."""

import check_report
import profiler_run

run, trace = profiler_run.run("profiler_outside", ["--profile", "standard", "--start-step", 20, "--steps", 60], profile_from=200)
check_report.check(run)
profiler_run.compare(run, trace)
