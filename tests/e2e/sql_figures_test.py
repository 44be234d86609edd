# SPDX-License-Identifier: Apache-2.0
"""Plain sqlite3 with nothing but our extension gives the report's figures by SQL, to the nanosecond: the trace's documentation is
enough to do without our programs."""

import json

import lab

# Device work with the host step that launched it. A step's window on the device begins with its first work of a thread that launches
# kernels (a loader's copies are for later steps); the first and the last step are not steady, so the analyzed time runs from the
# second step's first work to the last one's.
WORK = """
WITH work AS (SELECT start_ns, end_ns, correlation, demangled(text) AS name FROM kernel
                JOIN string ON string.id = kernel.name_id
              UNION ALL SELECT start_ns, end_ns, correlation, 'copy' FROM copy),
 step AS (SELECT row_number() OVER (ORDER BY start_ns) AS number, start_ns,
                 coalesce(lead(start_ns) OVER (ORDER BY start_ns), end_ns) AS end_ns
            FROM user_range JOIN string ON string.id = user_range.name_id WHERE text LIKE 'ProfilerStep#%'),
 computing AS (SELECT DISTINCT tid FROM launch JOIN kernel USING (correlation)),
 begin AS (SELECT step.number, min(work.start_ns) AS start_ns FROM step
             JOIN launch ON launch.start_ns >= step.start_ns AND launch.start_ns < step.end_ns AND launch.tid IN computing
             JOIN work USING (correlation) GROUP BY step.number),
 analyzed AS (SELECT (SELECT start_ns FROM begin WHERE number = 2) AS start_ns,
                     (SELECT start_ns FROM begin ORDER BY number DESC LIMIT 1) AS end_ns)
"""
STEP = WORK + "SELECT end_ns - start_ns AS ns FROM analyzed"
# The length of a union: each interval adds what lies behind everything that ended before it.
UNION = WORK + """,
 clipped AS (SELECT max(work.start_ns, analyzed.start_ns) AS a, min(work.end_ns, analyzed.end_ns) AS b
               FROM work, analyzed WHERE {condition} AND work.start_ns < analyzed.end_ns AND work.end_ns > analyzed.start_ns),
 fresh AS (SELECT a, b, coalesce(max(b) OVER (ORDER BY a, b ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reached
             FROM clipped)
SELECT sum(max(0, b - max(a, reached))) AS ns FROM fresh
"""
FIGURES = {
    "step_ns": STEP,
    "communication_ns": UNION.format(condition="name LIKE 'ncclDevKernel%'"),
    "compute_ns": UNION.format(condition="name <> 'copy' AND name NOT LIKE 'ncclDevKernel%'"),
}


def by_sql(file, sql):
    done = lab.run(["sqlite3", "-readonly", "-json", file, f".load {lab.EXTENSION.with_suffix('')}", sql])
    rows = json.loads(done.stdout or "[]")
    return [next(iter(row.values())) for row in rows]


class SqlFigures(lab.Scenario):
    def test_sql_reproduces_three_figures_of_every_rank(self):
        directory = self.training("run", steps=25)
        expected = {each["rank"]: each for each in lab.report(directory)["ranks"]}
        files = sorted(directory.glob("*.db"))
        self.assertEqual(len(files), lab.RANKS)
        for file in files:
            rank = by_sql(file, "SELECT rank FROM rank")[0]
            for figure, sql in FIGURES.items():
                self.assertEqual(by_sql(file, sql), [expected[rank][figure]], f"rank {rank}, {figure}")
                self.assertGreater(expected[rank][figure], 0)


if __name__ == "__main__":
    lab.main()
