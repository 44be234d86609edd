#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A build whose progress a person understands.

build_progress.py PLAN      reads what ninja prints and says how much is built and about how long the rest takes: on a terminal in one line,
                            elsewhere in a line for each tenth. PLAN is a file with what `ninja -n` printed before. Everything that is no
                            progress, such as a compiler's error, passes through.
build_progress.py --record BUILD
                            writes unit_costs.txt from the log of a whole build in that directory, which must have compiled everything: no
                            compiler cache, and nothing else on the machine."""

import os
import pathlib
import re
import statistics
import sys
import time

TABLE = pathlib.Path(__file__).with_name("unit_costs.txt")
PROGRESS = re.compile(r"\[(\d+)/(\d+)\] (.*)")
SHARE_TO_SHOW = 0.1  # of the work: before that, the machine's speed is not known
MOST_GROWTH = 1.25


def unit_of(output):
    """The name of a unit in the table: what ninja calls its output, without what is the same for all."""
    return re.sub(r"CMakeFiles/|Unity/unity_|\.dir|_cxx\.cxx\.o$", "", output)


def folder_of(unit):
    """Units of one folder cost about the same; the number of a batch is no part of it."""
    return re.sub(r"_\d+$", "", unit) if re.search(r"_\d+$", unit) else os.path.dirname(unit)


def read_table(path=TABLE):
    lines = (line.split() for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return {unit: float(seconds) for seconds, unit in lines}


class Costs:
    """What a unit costs: as recorded, else the median of its folder, else of all."""

    def __init__(self, recorded):
        self.recorded, self.folders = recorded, {}
        for unit, seconds in recorded.items():
            self.folders.setdefault(folder_of(unit), []).append(seconds)
        self.usual = statistics.median(recorded.values()) if recorded else 1.0

    def of(self, description):
        # "Building CXX object OUTPUT", "Linking CXX executable OUTPUT"; other texts name no output and cost next to nothing.
        if not re.match(r"(Building|Linking) ", description):
            return 0.0
        unit = unit_of(description.split()[-1])
        if unit in self.recorded:
            return self.recorded[unit]
        folder = self.folders.get(folder_of(unit))
        return statistics.median(folder) if folder else self.usual


class Estimate:
    """How long the rest of a build takes, from the costs of the units that are left and the speed seen so far."""

    def __init__(self, costs, plan, jobs):
        self.costs, self.jobs = costs, jobs
        self.all = sum(costs.of(unit) for unit in plan)
        self.done, self.finished = 0.0, 0
        self.tenth, self.before, self.shown = 0, None, None

    def finish(self, description):
        cost = self.costs.of(description)
        self.done += cost
        self.finished += cost > 0

    def left(self, seconds):
        """Seconds to go after `seconds`, or None while too little is known."""
        if self.done < SHARE_TO_SHOW * self.all or self.done <= 0 or self.all <= 0:
            return None
        # Of the units that are being built now, half is done on average.
        done = self.done + min(self.jobs * self.done / self.finished, self.all - self.done) / 2
        wanted = (self.all - done) * seconds / done
        # A machine that becomes busy lets it grow, but by a quarter for each tenth of the work: a figure that doubles is not believed again.
        if (tenth := int(10 * self.done / self.all)) > self.tenth:
            self.tenth, self.before = tenth, self.shown
        self.shown = wanted if self.before is None else min(wanted, self.before * MOST_GROWTH)
        return self.shown


def text(done, total, seconds, left):
    built = f"built {done} of {total} in {seconds:.0f} s"
    return built if left is None or done == total else f"{built}, about {left:.0f} s to go"


def show(lines, estimate, terminal, clock=time.monotonic, write=sys.stdout.write):
    began, tenth = clock(), 0
    for line in lines:
        match = PROGRESS.match(line)
        if not match:
            write(line)
            continue
        done, total = int(match[1]), int(match[2])
        estimate.finish(match[3])
        seconds = clock() - began
        if terminal:
            write(f"\r\033[K     {text(done, total, seconds, estimate.left(seconds))}")
        elif done * 10 // total > tenth:
            tenth = done * 10 // total
            write(f"     {text(done, total, seconds, estimate.left(seconds))}\n")
        sys.stdout.flush()
    if terminal:
        write("\n")


def planned(path):
    return [match[3] for line in pathlib.Path(path).read_text().splitlines() if (match := PROGRESS.match(line))]


def record(build):
    costs = {}
    for line in (pathlib.Path(build) / ".ninja_log").read_text().splitlines():
        fields = line.split("\t")
        if len(fields) == 5 and re.search(r"\.(o|a)$|^lib/|^bin/", fields[3]):
            costs[unit_of(fields[3])] = (int(fields[1]) - int(fields[0])) / 1000
    rows = "".join(f"{seconds:6.1f} {unit}\n" for unit, seconds in sorted(costs.items(), key=lambda row: row[0]))
    TABLE.write_text("# Seconds that each unit of the preset dev took in a whole build: build_progress.py --record build/dev\n" + rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        record(sys.argv[2])
    else:
        jobs = int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or os.cpu_count() or 1)
        on_terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        try:
            show(sys.stdin, Estimate(Costs(read_table()), planned(sys.argv[1]), jobs), on_terminal)
        except KeyboardInterrupt:
            sys.exit(130)
