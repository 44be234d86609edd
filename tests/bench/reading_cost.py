# SPDX-License-Identifier: Apache-2.0
"""What a report costs on large runs: reading_cost.py BUILD [--small]. --small only shows that everything here works.

Inputs are made below BUILD/bench and removed again. Files are cached; of several rounds the fastest counts. CPU time stands beside wall
time, since other work on the machine moves only the latter.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
FASTEST_HTA = 57e3  # events/s of HolisticTraceAnalysis 0.6.0 on the reference machine
ROUNDS = 3
RANKS = 8
PACKAGE = HERE.parents[1] / "collector" / "python"
OPEN = "import sys; sys.path.insert(0, sys.argv[1]); import ringside; run = ringside.open(sys.argv[2]); print(run.kernels.path); run.close()"
LOAD = "import json, sys; loaded = [json.load(open(path)) for path in sys.argv[1:]]"


class Cost:
    """One run of a program to its end."""

    def __init__(self, arguments, folder):
        with open(os.path.join(folder, "stdout"), "w+", encoding="utf-8") as output:
            start = time.monotonic()
            process = subprocess.Popen([str(each) for each in arguments], stdout=output)
            _, status, usage = os.wait4(process.pid, 0)
            self.wall = time.monotonic() - start
            output.seek(0)
            self.output = output.read()
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"{arguments[0]} ended with {os.waitstatus_to_exitcode(status)}")
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss * 1024


def fastest(arguments, folder):
    return min((Cost(arguments, folder) for _ in range(ROUNDS)), key=lambda cost: cost.wall)


def line(what, cost, events):
    print(f"  {what}: {cost.wall:.2f} s wall, {cost.cpu:.2f} s of CPU, {events / cost.wall / 1e6:.2f} M events/s, "
          f"{cost.peak / 1e6:.0f} MB at most ({cost.peak / events:.0f} bytes an event)")


def sizes_below(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


def native(build, folder, events):
    run = os.path.join(folder, "large.ringside")
    Cost([build / "bin/bench/make_run", run, events, RANKS], folder)
    bare = fastest([build / "bin/bench/decode_run", run], folder)
    rows = int(bare.output)
    print(f"Native run of {rows:,} events in {RANKS} ranks, {sizes_below(run) / 1e6:.0f} MB")
    if not 0.9 * events <= rows <= 1.1 * events:
        sys.exit(f"{events} events were asked for, {rows} were found")
    report = fastest([build / "bin/ringside", "report", run, "--format", "json"], folder)
    line("report", report, rows)
    line("bare decode of its columns", bare, rows)
    kept = fastest([build / "bin/bench/decode_run", "--keep", run], folder)
    line("native read into memory", kept, rows)
    os.environ["PATH"] = f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}"
    opened = fastest([sys.executable, "-B", "-c", OPEN, PACKAGE, run], folder)
    line("ringside.open in Python", opened, rows)
    print(f"  Python takes {opened.wall / kept.wall:.2f} x the time and {opened.cpu / kept.cpu:.2f} x the CPU of the native read (budget: 1.5 x)")
    print(f"  a report takes {report.cpu / bare.cpu:.1f} x the CPU of the bare decode and keeps {report.cpu / report.wall:.1f} of {os.cpu_count()} cores busy "
          "(budgets: 12 x, 10 M events in 1 s, 100 M in 2147 MB)")


def kineto(build, folder, events, ranks):
    traces = os.path.join(folder, "kineto")
    Cost([sys.executable, HERE / "make_kineto.py", traces, events, ranks], folder)
    paths = sorted(str(path) for path in pathlib.Path(traces).iterdir())
    print(f"Kineto files of {events:,} events in {ranks} ranks, {sizes_below(traces) / 1e6:.0f} MB")
    report = fastest([build / "bin/ringside", "report", traces, "--format", "json"], folder)
    line("report", report, events)
    run = os.path.join(folder, "imported.ringside")
    imported = Cost([build / "bin/ringside", "import", traces, "-o", run], folder)
    line("import to a run", imported, events)
    load = Cost([sys.executable, "-c", LOAD, *paths], folder)
    line("python3 json.load", load, events)
    print(f"  a report takes {report.cpu / load.cpu:.3f} of json.load's CPU and {report.peak / load.peak:.3f} of its memory, "
          f"{events / report.wall / FASTEST_HTA:.0f} x HTA's events/s (budgets: 0.25 of the memory, 100 x)")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    small = sys.argv[2:] == ["--small"]
    below = build / "bench"
    below.mkdir(exist_ok=True)
    for measure, *amount in ([(kineto, 20_000, 2), (native, 40_000)] if small else
                             [(kineto, 1_000_000, RANKS), (kineto, 1_000_000, 1), (kineto, 5_000_000, RANKS),
                              (native, 10_000_000), (native, 100_000_000)]):
        with tempfile.TemporaryDirectory(dir=below) as folder:
            measure(build, folder, *amount)


main()
