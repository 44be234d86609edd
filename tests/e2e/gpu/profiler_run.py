# SPDX-License-Identifier: Apache-2.0
"""A job with torch.profiler in it, recorded: the profiler must get the same kernels as without recording, and the trace must state what was missed."""

import compare_trace
import gpu_lab
import trace_tables

STEPS = 300
KEPT = 0.99  # of the profiler's kernels; where its steps end, two runs differ by some
REASONS_SQL = """SELECT tier, active, reason FROM tier UNION ALL SELECT 'window ' || level, 1, why FROM window
  UNION ALL SELECT 'issue ' || id, count, message FROM issue"""


def kernels_and_steps(trace):
    tables = trace_tables.read_kineto(trace)
    return len(tables.kernels), sorted(tables.steps)


def run(name, options, profile_from, *more):
    """Returns the run directory and the profiler's trace; fails where the profiler lost something by us."""
    gpu_lab.need_torch()
    words = ("--steps", STEPS, *more, "--profile-from", profile_from, "--trace")
    bare_trace, trace = (gpu_lab.WORK / f"{prefix}{name}.trace.json" for prefix in ("bare_", ""))
    gpu_lab.run(gpu_lab.torch_job("profiled.py", *words, bare_trace))
    directory, _ = gpu_lab.record(name, options, gpu_lab.torch_job("profiled.py", *words, trace))
    bare, recorded = kernels_and_steps(bare_trace), kernels_and_steps(trace)
    print(f"torch.profiler: {bare[0]} kernels in its trace without ringside, {recorded[0]} with it")
    for row in gpu_lab.query(directory, REASONS_SQL):
        print(f"{row['tier']}: {row['active']} {row['reason']}")
    gpu_lab.expect(bare[0] > 0, "torch.profiler sees no kernels on this machine, without ringside too")
    same = bare[1] == recorded[1] and recorded[0] >= KEPT * bare[0]
    gpu_lab.expect(same, f"torch.profiler has another trace beside ringside: {recorded}, without it {bare}")
    return directory, trace


def compare(directory, trace, lengths=True):
    """Fails where the traces differ; `lengths`: those of kernels and copies too."""
    found = compare_trace.compare(trace, directory, [str(word) for word in gpu_lab.ringside_command()], lengths)
    gpu_lab.expect(not found, f"{len(found)} differences to torch.profiler's trace, the first: {found[:1]}")
    print("no difference to torch.profiler's trace")
