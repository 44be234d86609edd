# SPDX-License-Identifier: Apache-2.0
"""Wall time and memory of `ringside report` on a large run: report_cost.py RINGSIDE RUN EVENTS. Median of five, files cached."""

import os
import statistics
import subprocess
import sys
import time

ROUNDS = 5


def report_once(program, run):
    start = time.monotonic()
    child = subprocess.Popen([program, "report", run, "--format", "json"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"report ended with {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    program, run, events = sys.argv[1], sys.argv[2], int(sys.argv[3])
    report_once(program, run)
    wall, cpu, memory = (statistics.median(column) for column in zip(*(report_once(program, run) for _ in range(ROUNDS))))
    print(f"report: {wall:.2f} s wall, {cpu:.2f} s of CPU on {os.cpu_count()} cores, {memory:.0f} MB at most, "
          f"{events / wall / 1e6:.1f} M events/s, {memory * 1e6 / events:.0f} bytes an event (budget 1 s for 10 M events)")


main()
