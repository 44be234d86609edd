# SPDX-License-Identifier: Apache-2.0
"""Kernels and copies of which all is known: number, bytes, length by CUDA events, when they can have run, over 20 s; NVML under load."""

import statistics

import gpu_lab

LENGTH_SHARE, LENGTH_NS = 0.03, 15_000  # two events lie around the kernel
CLOCK_NS = 20_000  # by which a kernel may seem to lie outside of what the host allows
WARM_UP_NS = 50_000_000
BUSY_PERCENT = 90
MEMORY_SHARE = 0.05
KERNELS_SQL = """SELECT start_ns, end_ns FROM kernel JOIN string USING (process_id) WHERE string.id = name_id AND text LIKE '%spin%'
  ORDER BY start_ns"""
COPIED_SQL = "SELECT count(*) AS copies, sum(bytes) AS bytes FROM copy WHERE kind = 1"
SAMPLES_SQL = "SELECT time_ns, value FROM sample JOIN series USING (process_id) WHERE series.id = series_id AND metric = '{}'"
ISSUES_SQL = "SELECT id, count, message FROM issue"


def of_batch(kernels, batch):
    """Those nearest to it: its window, widened by what clocks may be apart and more."""
    middle = (batch["begin_ns"] + batch["end_ns"]) / 2
    return sorted(kernels, key=lambda kernel: abs((kernel["start_ns"] + kernel["end_ns"]) / 2 - middle))[:3]


def outside_ns(found, batch):
    """By how much its kernels begin before it was launched, and end after it was waited for; negative: not at all."""
    return batch["begin_ns"] - min(each["start_ns"] for each in found), max(each["end_ns"] for each in found) - batch["end_ns"]


def complaints(kernels, told):
    batches = told["batches"]
    if len(kernels) != 3 * len(batches):
        yield f"kernels: {len(kernels)}, launched were {3 * len(batches)}"
    outside = [outside_ns(of_batch(kernels, batch), batch) for batch in batches]
    print(f"clocks: earliest start {max(early for early, _ in outside)} ns before its launch, latest end "
          f"{max(late for _, late in outside)} ns after its wait (negative: inside); first and last batch {outside[0]} {outside[-1]}")
    if max(max(each) for each in outside) > CLOCK_NS:
        yield f"clocks: a kernel lies {max(max(each) for each in outside)} ns outside of what the host's clock allows"
    own = statistics.median(each["end_ns"] - each["start_ns"] for each in kernels)
    events = statistics.median(length for batch in batches for length in batch["kernels_ns"])
    print(f"lengths: median {own:.0f} ns, by CUDA events {events:.0f} ns")
    if abs(events - own) > max(LENGTH_SHARE * events, LENGTH_NS):
        yield f"lengths: median {own:.0f} ns, by CUDA events {events:.0f} ns"


def load_complaints(utilization, memory, told):
    busy = [each["value"] for each in utilization if told["busy_from_ns"] + 1e9 < each["time_ns"] < told["busy_to_ns"]]
    print(f"NVML under load: {len(busy)} samples, {busy[-5:]} %; memory {memory[-1:]}, by CUDA {told['memory_used']} bytes")
    if not busy or statistics.median(busy) < BUSY_PERCENT:
        yield f"NVML: utilization under load {busy or 'not sampled'}, expected at least {BUSY_PERCENT} %"
    if not memory or abs(max(each["value"] for each in memory) - told["memory_used"]) > MEMORY_SHARE * told["memory_used"]:
        yield f"NVML: memory {[each['value'] for each in memory][-1:] or 'not sampled'}, by CUDA {told['memory_used']}"


gpu_lab.need_torch()
run, output = gpu_lab.record("truth", ["--profile", "standard"], gpu_lab.torch_job("truth.py"))
told = gpu_lab.job_result(output)
for issue in gpu_lab.query(run, ISSUES_SQL):
    print(issue)
copied = gpu_lab.one(run, COPIED_SQL)
found = [] if copied["bytes"] == told["copied_bytes"] else [f"copies: {copied}, the job copied {told['copied_bytes']} bytes"]
# The one that warmed up is not among them: it may run before the device tier has begun.
kernels = [each for each in gpu_lab.query(run, KERNELS_SQL) if each["start_ns"] > told["batches"][0]["begin_ns"] - WARM_UP_NS]
gpu_lab.expect(kernels, "none of the known kernels was recorded")
found += complaints(kernels, told)
found += load_complaints(gpu_lab.query(run, SAMPLES_SQL.format("gpu_utilization_percent")),
                         gpu_lab.query(run, SAMPLES_SQL.format("memory_used_bytes")), told)
gpu_lab.expect(not found, "; ".join(found))
print(f"{len(kernels)} known kernels, {copied['bytes']} bytes, clocks and lengths as expected")
