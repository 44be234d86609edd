# SPDX-License-Identifier: Apache-2.0
"""Three questions that the report does not answer, put to a run in Python: three_questions.py RUN

It needs no other package. With pyarrow, pandas or polars the tables are data frames: run.kernels.pandas(), run.collectives.polars().
"""

import collections
import statistics
import sys

import ringside

KERNELS = """
SELECT rank, name.text AS name, end_ns - start_ns AS ns
  FROM kernel JOIN rank USING (process_id) JOIN string AS name ON name.process_id = kernel.process_id AND name.id = name_id"""


def uneven_kernels(run):
    """(name, factor) of kernels by how much longer the slowest rank needs for one than the median rank."""
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in run.query(KERNELS):
        times[row["name"]][row["rank"]].append(row["ns"])
    factors = []
    for name, ranks in times.items():
        medians = [statistics.median(each) for each in ranks.values()]
        factors.append((name, max(medians) / max(1, statistics.median(medians))))
    return sorted(factors, key=lambda each: -each[1])


def slow_half(run):
    """How much longer the mean step of the second half took than that of the first, as a share."""
    steps = [row["ns"] for row in run.query("SELECT number, avg(end_ns - start_ns) AS ns FROM step_mark GROUP BY number ORDER BY number")]
    middle = len(steps) // 2
    return statistics.mean(steps[middle:]) / statistics.mean(steps[:middle]) - 1 if middle else None


def bytes_by_call(run):
    """(call, bytes of all ranks) of what the collectives were given."""
    return [(row["name"], row["bytes"]) for row in run.query("""
SELECT api.text AS name, sum(bytes) AS bytes
  FROM collective_call AS c JOIN string AS api ON api.process_id = c.process_id AND api.id = api_id GROUP BY 1 ORDER BY 2 DESC""")]


def main(path):
    with ringside.open(path) as run:
        print("Which kernels differ most between ranks?")
        for name, factor in uneven_kernels(run)[:5]:
            print(f"  {factor:6.2f} times the median rank: {name[:80]}")
        print("Did steps get longer during the run?")
        change = slow_half(run)
        print("  no step was marked" if change is None else f"  the second half's steps took {change:+.1%} of the first half's")
        print("How many bytes did each collective call carry?")
        for name, count in bytes_by_call(run):
            print(f"  {(count or 0) / 1e9:10.3f} GB: {name}")


if __name__ == "__main__":
    main(sys.argv[1])
