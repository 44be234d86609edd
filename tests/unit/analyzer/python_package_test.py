# SPDX-License-Identifier: Apache-2.0
"""Runs in Python: tables as Arrow files, the report, SQL, and refusals: python_package_test.py RINGSIDE MAKE_JOB PACKAGE_DIR. pyarrow and polars
read the tables too where they are installed."""

import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import arrow_reader
import parquet_reader

RINGSIDE, MAKE_JOB, PACKAGE = sys.argv[1:4]
EXAMPLE = Path(PACKAGE).parents[1] / "examples" / "python" / "three_questions.py"
del sys.argv[1:4]
sys.path.insert(0, PACKAGE)
os.environ["PATH"] = f"{Path(RINGSIDE).parent}{os.pathsep}{os.environ['PATH']}"

import ringside  # noqa: E402
import ringside.runs  # noqa: E402


def installed(name):
    return unittest.skipUnless(importlib.util.find_spec(name), f"the Python package {name} is not installed")


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.path = cls.folder / "late.ringside"
        subprocess.run([MAKE_JOB, cls.path, "8", "24", "late_rank"], check=True, stdout=subprocess.DEVNULL)
        events = [{"ph": "X", "cat": "kernel", "name": "gemm \ud83d\ude80", "pid": 0, "tid": 7, "ts": 10.0 * i, "dur": 2.0,
                   "args": {"device": 0, "stream": 7, "correlation": i}} for i in range(70000)]  # more rows than a batch has
        (cls.folder / "trace.json").write_text(json.dumps({"traceEvents": events}))
        cls.run_ = ringside.open(cls.path)
        cls.addClassCleanup(cls.run_.close)

    def sqlite(self, path, name):
        subprocess.run([RINGSIDE, "export", "-q", path, "--format", "sqlite", "-o", self.folder / name], check=True)
        return sqlite3.connect(self.folder / name)

    def equals(self, run, database):
        """Every value of every table is as SQLite has it. Returns the number of rows."""
        rows = 0
        for name in run.tables:
            columns = arrow_reader.read(run.table(name).path)
            expected = database.execute(f'SELECT * FROM "{name}"').fetchall()
            self.assertEqual(list(columns), [each[1] for each in database.execute(f'PRAGMA table_info("{name}")')], name)
            self.assertEqual(list(zip(*columns.values(), strict=True)), expected, name)
            rows += len(expected)
        return rows

    def test_every_value_is_as_in_sqlite(self):
        self.assertGreater(self.equals(self.run_, self.sqlite(self.path, "late.db")), 1000)
        with ringside.open(self.folder / "trace.json") as run:
            self.assertGreaterEqual(self.equals(run, self.sqlite(self.folder / "trace.json", "trace.db")), 70000)

    def test_short_names_are_tables(self):
        for short, name in ringside.runs._SHORT_NAMES.items():
            self.assertEqual(getattr(self.run_, short).name, name)
        with self.assertRaisesRegex(KeyError, "no table 'nonsense'"):
            self.run_.table("nonsense")
        with self.assertRaises(AttributeError):
            self.run_.nonsense

    def test_the_report_and_sql_are_those_of_the_program(self):
        printed = subprocess.run([RINGSIDE, "report", self.path, "--format", "json"], check=True, capture_output=True).stdout
        self.assertEqual(self.run_.report, json.loads(printed))
        self.assertEqual(self.run_.query("SELECT count(*) AS n FROM rank"), [{"n": 8}])

    def test_what_cannot_be_read_is_refused_in_the_same_words(self):
        (self.folder / "broken.json").write_text("no trace")
        printed = subprocess.run([RINGSIDE, "report", self.folder / "broken.json"], text=True, capture_output=True, check=False)
        with self.assertRaises(ringside.runs.RingsideError) as caught:
            ringside.open(self.folder / "broken.json")
        self.assertEqual(str(caught.exception), printed.stderr.replace("ringside: error: ", "").replace("\n  ", "\n").strip())
        self.assertEqual(caught.exception.code, printed.returncode)
        with self.assertRaisesRegex(ringside.runs.RingsideError, "no such column: nonsense"):
            self.run_.query("SELECT nonsense")

    def test_tables_are_removed_with_the_run(self):
        with ringside.open(self.path) as run:
            path = run.kernels.path
            self.assertTrue(path.exists())
        self.assertFalse(path.exists())

    def test_the_example_answers_its_questions(self):
        done = subprocess.run([sys.executable, "-B", EXAMPLE, self.path], text=True, capture_output=True, check=False,
                              env={**os.environ, "PYTHONPATH": PACKAGE})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("?\n"), 3, done.stdout)

    def test_parquet(self):
        self.run_.write_parquet(self.folder / "parquet")
        self.assertEqual(parquet_reader.read(self.folder / "parquet" / "kernel.parquet"), arrow_reader.read(self.run_.kernels.path))

    @installed("pyarrow")
    def test_pyarrow(self):
        import pyarrow.parquet

        kernels = arrow_reader.read(self.run_.kernels.path)
        self.assertEqual(self.run_.kernels.arrow().to_pydict(), kernels)
        self.run_.write_parquet(self.folder / "parquet")
        self.assertEqual(pyarrow.parquet.read_table(self.folder / "parquet" / "kernel.parquet").to_pydict(), kernels)

    @installed("polars")
    def test_polars(self):
        self.assertEqual(self.run_.kernels.polars().to_dict(as_series=False), arrow_reader.read(self.run_.kernels.path))


if __name__ == "__main__":
    unittest.main()
