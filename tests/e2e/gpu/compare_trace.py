# SPDX-License-Identifier: Apache-2.0
"""Compares a run of ours with torch.profiler's own trace of it: compare_trace.py KINETO.json RUN RINGSIDE. Prints what was compared
and every difference; ends with 1 where there is one. trace_differences.py has the tolerances."""

import json
import subprocess
import sys

import trace_differences
import trace_tables


def query_of(run, ringside):
    def query(sql):
        done = subprocess.run([*ringside, "query", run, sql, "--format", "json"], text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"query of {run}: {done.stderr.strip()}")
        return json.loads(done.stdout)
    return query


def compare(kineto, run, ringside, lengths=True):
    """The differences, which are printed too. `ringside`: the words that start the program."""
    theirs, ours = trace_tables.read_kineto(kineto), trace_tables.read_run(query_of(run, ringside))
    for line in trace_differences.compared(theirs, ours):
        print(line)
    found = trace_differences.differences(theirs, ours, lengths)
    for line in found:
        print("difference:", line)
    print(f"{len(found)} differences beyond the tolerances")
    return found


if __name__ == "__main__":
    sys.exit(int(bool(compare(sys.argv[1], sys.argv[2], sys.argv[3:]))))
