# SPDX-License-Identifier: Apache-2.0
"""What a hook costs: not preloaded, recording off, recording; each beside the bare loop of the same process. Where valgrind is
installed also in instructions. Prints a table; the ratios are what counts, the ns belong to this machine."""

import json
import os
import pathlib
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / "bin" / "bench" / "hook_cost"
COLLECTOR = BUILD / "lib" / "libringside_collector.so"
SCRATCH = BUILD / "bench"
CALLS = 1_000_000
ROUNDS = 5
MODES = {
    "not preloaded": {},
    "recording off": {"LD_PRELOAD": str(COLLECTOR)},
    "recording": {"LD_PRELOAD": str(COLLECTOR), "RINGSIDE_DIR": str(SCRATCH / "hook.ringside"), "RINGSIDE_PROFILE": "light",
                  "RINGSIDE_RING_BYTES": str(64 << 20)},
}


def environment(mode):
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("RINGSIDE_", "LD_PRELOAD"))}
    return {**plain, **MODES[mode]}


def measure(mode, *arguments, wrapper=()):
    shutil.rmtree(SCRATCH / "hook.ringside", ignore_errors=True)
    return subprocess.run([*wrapper, PROGRAM, *map(str, arguments)], env=environment(mode), text=True, capture_output=True, check=True)


def dropped():
    """Records the last recording had no room for: a drop is cheaper than a record and would flatter the figure."""
    counts = []
    for file in (SCRATCH / "hook.ringside").glob("*.db"):
        with sqlite3.connect(file) as database:
            counts += database.execute("SELECT coalesce(sum(records), 0) FROM dropped").fetchone()
    return sum(counts)


def counted(mode, loop, calls):
    """Inside the loop's function only, so that the drain thread is not in it."""
    command = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={SCRATCH / 'callgrind.out'}",
               f"--toggle-collect=*{loop}Loop*")
    talk = measure(mode, calls, loop, wrapper=command).stderr
    return int(re.search(r"Collected : (\d+)", talk).group(1))


def instructions(mode, loop, calls=100_000):
    """Of one call: the difference of two counts, without what the first call does once."""
    return (counted(mode, loop, 2 * calls) - counted(mode, loop, calls)) / calls


def table(threads):
    """Measures all modes in turn and prints their rows; returns the results by mode."""
    calls = CALLS // threads
    rounds = {mode: [] for mode in MODES}
    for _ in range(ROUNDS):
        for mode in MODES:
            rounds[mode].append(json.loads(measure(mode, calls, threads).stdout))
    lost = dropped()
    for mode, results in rounds.items():
        def median(kind, figure):
            return statistics.median(each[kind][figure] for each in results)
        ratio = statistics.median(each["call"]["ns"] / each["bare"]["ns"] for each in results)
        print(f"{threads:7} {mode:14} {median('call', 'ns'):10.2f} {median('bare', 'ns'):8.2f} {ratio:6.2f} {median('call', 'p50'):7.1f} "
              f"{median('call', 'p99'):7.1f} {median('call', 'p99.99'):9.1f} {median('bare', 'p99.99'):12.1f}")
    if lost:
        print(f"{lost} of {2 * CALLS} records of the last recording were dropped for want of room: its figures flatter")
    return rounds


def main():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    print(f"hook cost, median of {ROUNDS} runs of {CALLS} calls over all threads; bare = 2 x rdtsc + 32-byte store, through the PLT")
    print(f"{'threads':>7} {'':14} {'ns a call':>10} {'bare ns':>8} {'ratio':>6} {'p50':>7} {'p99':>7} {'p99.99':>9} {'bare p99.99':>12}")
    rounds = table(1)
    for threads in (2, 4, 8):
        table(threads)
    print(f"(this machine has {os.cpu_count()} cores: with more threads than that single calls contain preemptions, bare ones too)")
    plain = statistics.median(each["call"]["ns"] for each in rounds["not preloaded"])
    off = statistics.median(each["call"]["ns"] for each in rounds["recording off"])
    print(f"recording off adds {off - plain:.2f} ns (budget 2); budgets while recording: ratio 1.6, p99.99 4 times the bare one")
    if shutil.which("valgrind"):
        print("instructions a call, loop included: " + ", ".join(f"{mode} {instructions(mode, 'call'):.0f}" for mode in MODES) +
              f", bare {instructions('not preloaded', 'bare'):.0f}; with a size and a stream: recording {instructions('recording', 'copy'):.0f}")
    else:
        print("instructions: not measured, valgrind is not installed")


main()
