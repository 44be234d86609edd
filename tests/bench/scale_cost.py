# SPDX-License-Identifier: Apache-2.0
"""How the cost of a report grows with ranks and steps: scale_cost.py BUILD [--small].

Makes jobs of 200 device operations a step (make_job) below BUILD/bench and removes them again. Prints events a second, the memory at its
peak, bytes for each rank and step, and the slopes in double logarithmic scale: 1 is linear growth. --small only shows that all planted
faults are named, and asserts no time.
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

EVENTS_A_STEP = 2 * 200  # operations and their launches
RANKS = ((64, 100), (128, 100), (256, 100), (512, 100))
STEPS = ((64, 100), (64, 200), (64, 400), (64, 800))
CUT = ((64, 400), (64, 800), (64, 1600), (64, 3200))  # steps against memory that stays the same
CUT_MIB = 64
SUMMARIZED = (128, 100)


def make(build, folder, ranks, steps, fault="none"):
    run = os.path.join(folder, f"{fault}_{ranks}_{steps}.ringside")
    subprocess.run([build / "bin/bench/make_job", run, str(ranks), str(steps), fault], check=True)
    return run


def report(build, run, launcher=(), options=()):
    """The report as JSON, with the seconds and the bytes of memory that it took."""
    start = time.monotonic()
    program = build / ("bin/ringside-mpi" if launcher else "bin/ringside")
    process = subprocess.Popen([*launcher, program, "report", run, "--format", "json", *options], stdout=subprocess.PIPE)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"ringside report {run} ended with {os.waitstatus_to_exitcode(status)}")
    return json.loads(text), time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def slope(points):
    """Of the line through the points in double logarithmic scale, by least squares."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x0) * (y - y0) for x, y in zip(xs, ys)) / sum((x - x0) ** 2 for x in xs)


def table(build, folder, sizes, axis, options=()):
    print("  ranks  steps  M events  CPU s  wall s  M events/s of CPU  peak MB  bytes a rank and step")
    cpu, memory = [], []
    for size in sizes:
        ranks, steps = size
        run = make(build, folder, ranks, steps)
        _, wall, spent, peak = report(build, run, options=options)
        shutil.rmtree(run)
        events = ranks * steps * EVENTS_A_STEP
        print(f"  {ranks:5} {steps:6} {events / 1e6:9.1f} {spent:6.2f} {wall:7.2f} {events / spent / 1e6:18.2f} {peak / 1e6:8.0f} "
              f"{peak / ranks / steps:22.0f}", flush=True)
        cpu.append((size[axis], spent))
        memory.append((size[axis], peak))
    print(f"  slope against {'ranks' if axis == 0 else 'steps'}: CPU {slope(cpu):.2f}, memory {slope(memory):.2f}")


def workers(build, folder):
    """How much faster several workers are: cores of one process, and processes of MPI."""
    run = make(build, folder, 64, 1600)
    options = ("--memory", str(CUT_MIB))
    one_core = ("taskset", "-c", str(min(os.sched_getaffinity(0))))
    start = time.monotonic()
    subprocess.run([*one_core, build / "bin/ringside", "report", run, *options], check=True, stdout=subprocess.DEVNULL)
    alone = time.monotonic() - start
    print(f"  64 ranks x 1600 steps, --memory {CUT_MIB}: one core {alone:.2f} s; all cores {alone / report(build, run, options=options)[1]:.2f} x")
    if (build / "bin/ringside-mpi").exists():
        launcher = ("mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "2")
        print(f"  two processes of MPI {alone / report(build, run, launcher, options)[1]:.2f} x")
    shutil.rmtree(run)


def summaries(build, folder):
    """The bytes of summaries of hosts, and what a report of them takes."""
    run = make(build, folder, *SUMMARIZED)
    traces = sum(file.stat().st_size for file in pathlib.Path(run).iterdir())
    ranks, steps = SUMMARIZED
    print(f"  summaries of {ranks} ranks x {steps} steps, whose traces are {traces / 1e6:.1f} MB:")
    for kept in (0, 20, 40):
        target = pathlib.Path(folder, f"summaries_{kept}")
        subprocess.run([build / "bin/ringside", "reduce", run, "-o", target, "--steps", str(kept)], check=True, stderr=subprocess.DEVNULL)
        size = sum(file.stat().st_size for file in target.iterdir())
        document, wall, spent, peak = report(build, target)
        print(f"  --steps {kept:2}: {size / 1e6:6.2f} MB, {size / ranks / steps:6.0f} bytes a rank and step; a report of "
              f"{document['coverage']['steps']['analyzed']} steps takes {spent:.2f} s of CPU and {peak / 1e6:.0f} MB")
    shutil.rmtree(run)


def check_fault(build, folder, fault, rule, ranks, words):
    """Ends the program unless a finding of the rule names these ranks, and its title holds the words."""
    document, *_ = report(build, make(build, folder, 64, 30, fault))
    found = [(each["ranks"], each["title"]) for each in document["findings"] if each["rule"] == rule]
    if not any(got == ranks and words in title for got, title in found) or words not in document["verdict"]["summary"]:
        sys.exit(f"{fault}: no finding of {rule} names ranks {ranks} and '{words}': {found}, verdict: {document['verdict']}")
    print(f"  {fault}: {found[0][1]}")


def small(build, folder):
    check_fault(build, folder, "late_rank", "late_rank", [35], "Rank 35 comes last")
    check_fault(build, folder, "slow_host", "late_rank", list(range(16, 24)), "all 8 ranks of host node1002")
    check_fault(build, folder, "slow_rail", "collective_bandwidth_low", list(range(5, 64, 8)), "all 8 ranks with local rank 5")
    check_fault(build, folder, "rotating", "data_skew", [], "changes from step to step")
    document, *_ = report(build, make(build, folder, 64, 30))
    if document["verdict"]["limited_by"] not in ("compute", "communication", "nothing") or any(
            each["rule"] in ("late_rank", "collective_bandwidth_low", "compute_jitter", "data_skew") for each in document["findings"]):
        sys.exit(f"a job without a fault: {document['verdict']}, {[each['title'] for each in document['findings']]}")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    (build / "bench").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build / "bench") as folder:
        if "--small" in sys.argv:
            small(build, folder)
            return
        table(build, folder, RANKS, 0)
        table(build, folder, STEPS, 1)
        print(f"  in stretches, --memory {CUT_MIB}:")
        table(build, folder, CUT, 1, ("--memory", str(CUT_MIB)))
        workers(build, folder)
        summaries(build, folder)


if __name__ == "__main__":
    main()
