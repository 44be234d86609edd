# SPDX-License-Identifier: Apache-2.0
"""The harm matrix: runs each case with and without recording, and reports the differences. README.md in this folder.
usage: run.py [--short | --all | --only NAME]... [--list | --table]"""

import argparse
import concurrent.futures
import dataclasses
import os
import shutil
import subprocess
import sys
import threading
import time

import observation
import table
from case import read_matrix

SKIPPED = 77
PROGRESS_CASES = 50
PRINTING = threading.Lock()


WORDS = ("same", "harmed", "known failure", "passes now", "skipped")


@dataclasses.dataclass
class Result:
    case: object
    faults: list
    missing: str
    seconds: float

    def word(self):
        if self.missing:
            return "skipped"
        if self.faults:
            return "known failure" if self.case.known_failure else "harmed"
        return "passes now" if self.case.known_failure else "same"


def judge(case, folder):
    """Runs a case in all its modes. Returns what is wrong, a line each."""
    plain = observation.observe(case, "plain", folder)
    faults = []
    for mode in case.modes:
        recorded = observation.observe(case, mode, folder)
        found = observation.differences(plain, recorded, mode, case.memory_mib) + observation.recording_faults(case, folder)
        faults += [f"{mode}: {each}" for each in found]
        faults += [f"{mode}: we said {each!r}" for each in recorded.talk if found]
    if faults and (unstable := observation.differences(plain, observation.observe(case, "plain", folder))):
        faults.insert(0, f"two plain runs differ, too: {'; '.join(unstable)}")
    return faults


def judged(case, folder):
    """Prints the case's lines unless it is the same, and returns its result."""
    begin = time.monotonic()
    missing = case.missing(observation.PROGRAMS)
    folder.mkdir(parents=True)
    try:
        faults = [] if missing else judge(case, folder)
    except subprocess.SubprocessError as error:
        faults = [f"the case cannot be run: {error}"]
    result = Result(case, faults, missing, time.monotonic() - begin)
    if result.word() == "same":
        return result
    with PRINTING:
        print(f"{result.word():<14} {case.kind + '.' + case.name:<55} {result.seconds:5.1f} s", flush=True)
        for line in faults:
            print(f"    {line}")
        if missing:
            print(f"    this machine has no {missing}")
        if faults and case.known_failure:
            print(f"    known: {case.known_failure}")
    return result


def run(cases):
    """Runs cases, more at a time than there are processors, because they wait a lot. Returns the exit code."""
    folder = observation.BUILD / "harm"
    subprocess.run(["chmod", "-R", "u+rwx", str(folder)], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)
    results = []
    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        for result in pool.map(lambda case: judged(case, folder / case.name), cases):
            results.append(result)
            if len(results) % PROGRESS_CASES == 0:
                with PRINTING:
                    print(f"{len(results)} of {len(cases)} cases run", flush=True)
    counts = {word: sum(each.word() == word for each in results) for word in WORDS}
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["harmed"] else 0


def chosen(options):
    cases = read_matrix()
    if options.only:
        unknown = sorted(set(options.only) - {case.name for case in cases})
        if unknown:
            sys.exit(f"run.py: no case has the name {', '.join(unknown)}; run.py --list has them all")
        return [case for case in cases if case.name in options.only]
    return cases if options.all else [case for case in cases if not case.long]


def have_namespaces():
    return subprocess.run([*observation.NAMESPACES, "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], capture_output=True,
                          check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description="Runs programs plain and recorded, and says what is not the same")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--short", action="store_true", help="what takes seconds; the default")
    which.add_argument("--all", action="store_true", help="the long ones, too")
    which.add_argument("--only", action="append", metavar="NAME", help="this case; repeatable")
    parser.add_argument("--list", action="store_true", help="run nothing, print name and sentence of each chosen case")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table of tests/README.md")
    options = parser.parse_args()
    if options.table:
        print(table.of(read_matrix()))
    elif options.list:
        print("\n".join(f"{case.kind}.{case.name}: {case.what}" for case in chosen(options)))
    elif not have_namespaces():
        print("skipped: this system allows no mount and process namespaces (unshare), in which each case runs")
        return SKIPPED
    else:
        return run(chosen(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
