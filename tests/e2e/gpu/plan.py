# SPDX-License-Identifier: Apache-2.0
"""Runs checks of a real GPU in order of value, each in its own time box and all within one budget, and prints a table. A check is a
file checks/NAME.py: 0 (seen), 77 (not reached) or another code (differs), and its last line says what. Results, log and traces lie
in OUT from the start of each check. A signal ends the plan: what runs is ended, its traces are kept, the table is printed. Standard
library only."""

import argparse
import ast
import collections
import json
import os
import pathlib
import signal
import sys
import time

import evidence
import processes

HERE = pathlib.Path(__file__).resolve().parent
CHECKS = HERE / "checks"
# With this folder in Python's path for the check alone: in PYTHONPATH, its names would be in the way of the jobs.
STARTER = "import runpy, sys; sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2], run_name='__main__')"
NOT_REACHED = 77
SHOWN_LINES, SHOWN_CHARACTERS = 40, 200  # the log has all
REASON_CHARACTERS = 400
CLOSING_S = 12  # of the budget, kept to end what runs, keep its traces and print the table
FIRST = "facts"  # runs always: others read what it found

# needs_s: what it takes on a GPU by estimate; it is not begun with less. box_s: where it is ended. A measuring check gives more the
# longer it runs; it takes what the others leave.
Check = collections.namedtuple("Check", "name needs_s box_s measuring", defaults=(False,))
PLAN = (
    Check(FIRST, 10, 90), Check("ddp", 25, 75), Check("truth", 40, 60), Check("overhead", 85, 240, measuring=True),
    Check("profiler_inside", 35, 75), Check("graphs", 25, 60), Check("compiled", 30, 80), Check("two_ranks", 30, 75),
    Check("gloo", 20, 60), Check("nccl", 12, 40), Check("out_of_memory", 15, 45), Check("killed", 20, 50), Check("watchdog", 30, 75),
    Check("abi", 10, 30), Check("torchrun", 20, 60), Check("without_cupti", 8, 40),
    # What the second call is for.
    Check("profiler_outside", 30, 75), Check("fsdp", 25, 75), Check("window", 8, 40), Check("flight", 15, 45),
    Check("graphs_of_two", 30, 75), Check("without_cupti_torch", 25, 60), Check("start_and_end", 60, 120, measuring=True))


class Ended(Exception):
    """A signal ended the plan."""


class Signals:
    """Those that end the plan. The first one interrupts the check that runs; what is left to do then takes seconds."""

    def __init__(self):
        self.came = self.interrupts = False
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self.note)

    def note(self, *_):
        self.came = True
        if self.interrupts:
            self.interrupts = False
            raise Ended


def select(plan, names):
    """The first check and those of these names, in the plan's order; all without a name. An unknown name ends the program."""
    known = [check.name for check in plan]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no check is called {', '.join(unknown)}; there are: {', '.join(known)}")
    return [check for check in plan if not names or check.name in names or check.name == FIRST]


def time_of(check, later, left_s):
    """Seconds that a check is given of those left, None: too few to begin."""
    room_s = left_s - CLOSING_S
    if check.measuring:
        room_s = max(check.needs_s, room_s - sum(other.needs_s for other in later)) if room_s >= check.needs_s else 0
    return min(check.box_s, room_s) if room_s >= check.needs_s else None


def outcome(check, ended, given_s, said):
    """(state, reason); `ended`: exit code, None where its time ended it."""
    if ended is None and given_s < check.box_s:
        return "not reached", f"cut off after {given_s:.0f} s: the plan's time was up"
    if ended is None:
        return "differs", f"it ran past its time box of {check.box_s} s; before: {said}"
    return {0: "seen", NOT_REACHED: "not reached"}.get(ended, "differs"), said


def result(check, state, seconds, reason):
    return {"check": check.name, "state": state, "seconds": round(seconds, 1), "reason": reason}


def run(check, given_s, store, environment, signals):
    """Runs one check; what it prints goes into its log as it comes, and the end of it is shown afterwards."""
    begin, code = time.monotonic(), None
    with store.begin() as log:
        try:
            signals.interrupts = not signals.came
            words = [sys.executable, "-B", "-u", "-c", STARTER, HERE, CHECKS / f"{check.name}.py"]
            code = processes.run(words, given_s, log,
                                 {**environment, "RINGSIDE_GPU_WORK": str(store.running), "RINGSIDE_GPU_SECONDS": f"{given_s:.0f}"})
            signals.interrupts = False
        except Ended:
            processes.end_all()
        if code is None:
            store.recover(log, environment)
    said = store.said() or ["it said nothing"]
    print("\n".join(line[:SHOWN_CHARACTERS] for line in said[-SHOWN_LINES:]), flush=True)
    state, reason = ("not reached", "cut off by a signal") if signals.came else outcome(check, code, given_s, said[-1][:REASON_CHARACTERS])
    return result(check, state, time.monotonic() - begin, reason)


def table(results, device):
    width = max(len(each["check"]) for each in results)
    rows = [f"{each['check']:<{width}}  {each['state']:<11}  {each['seconds']:>6.1f} s  {each['reason']}" for each in results]
    counts = collections.Counter(each["state"] for each in results)
    return "\n".join([f"GPU: {device}", *rows, ", ".join(f"{counts[state]} {state}" for state in ("seen", "differs", "not reached"))])


def listing(chosen):
    width = max(len(check.name) for check in chosen)
    return "\n".join(f"{check.name:<{width}}  {check.needs_s:>3} to {check.box_s:>3} s  {shows(check)}" for check in chosen)


def shows(check):
    return ast.get_docstring(ast.parse((CHECKS / f"{check.name}.py").read_text(encoding="utf-8"))).splitlines()[0]


def arguments(words):
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__.split(". ")[0])
    parser.add_argument("names", metavar="NAME", nargs="*", help="checks to run; without one, all")
    parser.add_argument("--list", action="store_true", help="say what checks there are, and from what to what time they take")
    parser.add_argument("--within", type=float, metavar="SECONDS", default=480, help="the table is printed before; default: 480")
    parser.add_argument("--pack", type=pathlib.Path, help="what pack.sh made; default: build/gpu_bundle",
                        default=HERE.parents[2] / "build" / "gpu_bundle")
    return parser.parse_args(words)


def main(words):
    begin = time.monotonic()
    options = arguments(words)
    chosen = select(PLAN, options.names)
    if options.list:
        print(listing(chosen))
        return 0
    if not (options.pack / "bin" / "ringside").exists():
        raise SystemExit(f"no pack in {options.pack}: make one where the project is built: tests/e2e/gpu/pack.sh BUILD")
    store = evidence.Store(pathlib.Path(os.environ.get("OUT", "gpu_results")).resolve(), options.pack)
    environment = {**os.environ, "RINGSIDE_GPU_PACK": str(options.pack.resolve())}
    return follow(chosen, begin + options.within, store, environment)


def step(check, later, left_s, store, environment, signals):
    """Runs a check if it is reached."""
    given_s = time_of(check, later, left_s)
    if signals.came:
        return result(check, "not reached", 0, "a signal ended the plan before")
    if given_s is None:
        return result(check, "not reached", 0, f"{max(0, left_s - CLOSING_S):.0f} s were left, it needs {check.needs_s} s")
    print(f"== {check.name}, {given_s:.0f} s at most: {shows(check)}", flush=True)
    return run(check, given_s, store, environment, signals)


def follow(chosen, over, store, environment):
    results, facts, signals = [], "{}", Signals()
    for number, check in enumerate(chosen):
        results.append(step(check, chosen[number + 1:], over - time.monotonic(), store, {**environment, "RINGSIDE_GPU_FACTS": facts},
                            signals))
        facts = store.facts(facts)
        text = table(results, json.loads(facts).get("device", "not known"))
        store.end(results[-1], text, results)
    print(f"\n{text}\nlogs, results and traces: {store.out}", flush=True)
    later = [each["check"] for each in results if each["state"] == "not reached" and not each["seconds"]]
    if later:
        print(f"the rest: tests/e2e/gpu/run.sh {' '.join(later)}", flush=True)
    return 128 + signal.SIGTERM if signals.came else int(any(each["state"] == "differs" for each in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
