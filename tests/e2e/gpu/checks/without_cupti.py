# SPDX-License-Identifier: Apache-2.0
"""No CUPTI on the whole machine: the reason is recorded, and CUDA events time NCCL's calls."""

import gpu_lab

STEPS = 200
TIMES_SQL = """SELECT count(*) AS event_times, min(end_ns - start_ns) AS shortest_ns, max(uncertainty_ns) AS worst_ns,
  (SELECT count(*) FROM kernel) AS kernels FROM event_time"""

switch = gpu_lab.HERE / "without_cupti.sh"
if gpu_lab.run([switch, "true"], check=False).returncode == gpu_lab.NOT_REACHED:
    gpu_lab.not_reached("this machine allows no mount namespace")
job = gpu_lab.trainer(STEPS)
# With the job's libraries in its path, so that the switch finds what the job would find.
run, _ = gpu_lab.record("without_cupti", ["--profile", "standard", "--cuda-events"], job, before=(*job[:2], switch))
active = gpu_lab.tiers(run)
times = gpu_lab.one(run, TIMES_SQL)
gpu_lab.report(run)
gpu_lab.expect(not active["device"][0] and active["device"][1], f"the device tier, expected inactive for a reason: {active['device']}")
gpu_lab.expect(times["kernels"] == 0, f"{times['kernels']} kernels were recorded all the same")
gpu_lab.expect(active["events"][0] and times["event_times"] >= STEPS, f"{times['event_times']} times of events, expected a call a step")
print(f"no device tier: {active['device'][1]}; {times['event_times']} times of calls by CUDA events")
