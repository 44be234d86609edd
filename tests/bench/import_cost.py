# SPDX-License-Identifier: Apache-2.0
"""What reading a directory of JSON traces costs: import_cost.py RINGSIDE DIRECTORY EVENTS. Files cached; CPU time beside wall time,
since other work on the machine moves only the latter."""

import os
import resource
import subprocess
import sys
import time

SLOWEST_HTA, FASTEST_HTA = 40e3, 57e3  # events/s of HolisticTraceAnalysis 0.6.0 on the reference machine of DESIGN.md section 6
READ_BLOCK = 1 << 20


def child(arguments):
    start = time.monotonic()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{arguments[0]} ended with {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def bare_read(paths):
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.monotonic()
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while file.read(READ_BLOCK):
                pass
    after = resource.getrusage(resource.RUSAGE_SELF)
    return time.monotonic() - start, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    program, directory, events = sys.argv[1], sys.argv[2], int(sys.argv[3])
    paths = sorted(os.path.join(directory, name) for name in os.listdir(directory))
    size = sum(os.path.getsize(path) for path in paths)
    bare_read(paths)
    read_wall, read_cpu = bare_read(paths)
    wall, cpu, memory = min(child([program, "report", directory, "--format", "json"]) for _ in range(3))
    loads = [child([sys.executable, "-c", "import json, sys; json.load(open(sys.argv[1]))", path]) for path in paths]
    load_cpu = sum(each[1] for each in loads)
    rate = events / wall
    print(f"{events / 1e6:.1f} M events in {len(paths)} files of {size / 1e6:.0f} MB: report {wall:.2f} s wall, {cpu:.2f} s of CPU, "
          f"{memory:.0f} MB at most\n"
          f"  {rate / 1e6:.2f} M events/s wall on {os.cpu_count()} cores, {events / cpu / 1e6:.2f} M a CPU second "
          f"({rate / FASTEST_HTA:.0f} to {rate / SLOWEST_HTA:.0f} x HTA; budget 100 x)\n"
          f"  CPU: {cpu / load_cpu:.3f} of python3 json.load of the same files ({load_cpu:.1f} s), "
          f"{cpu / max(read_cpu, 1e-3):.1f} x a bare read ({read_wall:.2f} s wall, {read_cpu:.2f} s of CPU)")


main()
