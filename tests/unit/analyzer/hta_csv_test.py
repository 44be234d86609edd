# SPDX-License-Identifier: Apache-2.0
"""`report --format hta-csv` as a user calls it: hta_csv_test.py RINGSIDE. RINGSIDE_HTA_EXPECTED names a folder with what HTA 0.6.0
wrote, one folder a trace set; the sets themselves lie beside it under the same names."""

import csv
import gzip
import json
import math
import os
import pathlib
import subprocess
import sys
import unittest

import cases

RINGSIDE = sys.argv.pop(1)
TRACE = {"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 5,
                          "args": {"device": 0, "stream": 7, "correlation": 1}}]}
TOLERANCE = 1e-9  # versions of pandas differ in the last digits


def tables():
    """Those of ours that HTA has; its other analyses are no part of the format."""
    return [*(f"blocked_on_full_queue_{most}" for most in (32, 1024)), "comm_comp_overlap", "cuda_kernel_launch_stats_r0",
            "cuda_kernel_launch_stats_summary", "idle_interval_stats", "idle_time_breakdown", "kernel_breakdown_all",
            *(f"{table}_mem{copies}" for table in ("kernel_breakdown_top10", "kernel_type_breakdown") for copies in (0, 1)),
            "memory_bw_summary", "queue_length_summary", "temporal_breakdown"]


def cells(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def equal(ours, theirs):
    try:
        return ours == theirs or math.isclose(float(ours), float(theirs), rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except ValueError:
        return False


class HtaCsv(cases.FolderCase):
    def setUp(self):
        super().setUp()
        self.trace = self.folder / "rank0.json.gz"
        self.trace.write_bytes(gzip.compress(json.dumps(TRACE).encode()))

    def report(self, *arguments, expect=0):
        done = subprocess.run([RINGSIDE, "report", "--format", "hta-csv", *map(str, arguments)], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def test_one_file_a_table(self):
        self.report(self.trace, "-o", self.folder / "out")
        names = {path.name for path in (self.folder / "out").iterdir()}
        self.assertEqual(names, {f"{table}.csv" for table in [*tables(), "queue_length_series"]})
        self.assertEqual(cells(self.folder / "out/temporal_breakdown.csv")[1], ["0", "0", "0.0", "5.0", "0.0", "5.0", "0.0", "100.0", "0.0"])

    def test_a_folder_must_be_named(self):
        self.assertIn("-o FOLDER", self.report(self.trace, expect=2).stderr)

    def test_nothing_is_written_over(self):
        self.report(self.trace, "-o", self.folder / "out")
        self.assertIn("exists", self.report(self.trace, "-o", self.folder / "out", expect=3).stderr)

    def test_equals_what_hta_wrote(self):
        expected = os.environ.get("RINGSIDE_HTA_EXPECTED") or self.skipTest("RINGSIDE_HTA_EXPECTED names no folder")
        for theirs in sorted(pathlib.Path(expected).iterdir()):
            self.report(theirs.parent.parent / theirs.name, "-o", self.folder / theirs.name)
            for table in tables():
                with self.subTest(set=theirs.name, table=table):
                    pairs = (cells(self.folder / theirs.name / f"{table}.csv"), cells(theirs / f"{table}.csv"))
                    self.assertEqual(*(list(map(len, each)) for each in pairs))
                    for row, (ours, hta) in enumerate(zip(*pairs)):
                        self.assertTrue(all(map(equal, ours, hta)), f"row {row}: {ours} is not {hta}")


unittest.main()
