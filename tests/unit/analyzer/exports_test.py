# SPDX-License-Identifier: Apache-2.0
"""What a person does with exports and tables of a run, and what is refused: exports_test.py RINGSIDE."""

import csv
import json
import sqlite3
import subprocess
import sys
import unittest

import cases

RINGSIDE = sys.argv.pop(1)


class Exports(cases.FolderCase):
    def setUp(self):
        super().setUp()
        kernels = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10.0 * i, "dur": 2.0,
                    "args": {"device": 0, "stream": 7, "correlation": i}} for i, name in enumerate(("gemm", "add", "gemm"), 1)]
        (self.folder / "trace.json").write_text(json.dumps({"traceEvents": kernels}))

    def ringside(self, *arguments, expect=0):
        done = subprocess.run([RINGSIDE, *map(str, arguments)], cwd=self.folder, text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def export(self, form, name):
        self.ringside("export", "trace.json", "--format", form, "-o", name)
        return self.folder / name

    def test_tables_name_their_kernels(self):
        with open(self.export("csv", "tables") / "kernel.csv", newline="", encoding="utf-8") as file:
            self.assertEqual([row["name"] for row in csv.DictReader(file)], ["gemm", "add", "gemm"])
        plain = sqlite3.connect(self.export("sqlite", "run.db"))
        self.assertEqual(plain.execute("SELECT name, count(*) FROM kernel GROUP BY 1 ORDER BY 1").fetchall(), [("add", 1), ("gemm", 2)])

    def test_no_name_is_a_formula_of_a_spreadsheet(self):
        hostile = "=HYPERLINK(1)"
        (self.folder / "trace.json").write_text((self.folder / "trace.json").read_text().replace("gemm", hostile))
        with open(self.export("csv", "tables") / "kernel.csv", newline="", encoding="utf-8") as file:
            self.assertEqual([row["name"] for row in csv.DictReader(file)], ["'" + hostile, "add", "'" + hostile])
        plain = sqlite3.connect(self.export("sqlite", "run.db"))
        self.assertEqual(plain.execute("SELECT DISTINCT name FROM kernel ORDER BY 1").fetchall(), [(hostile,), ("add",)])

    def test_every_id_of_a_text_has_its_text_beside_it(self):
        plain = sqlite3.connect(self.export("sqlite", "run.db"))
        ids = {"name_id", "api_id", "function_id", "algorithm_id", "protocol_id", "domain_id", "reason_id"}
        found = set()
        for (table,) in plain.execute("SELECT name FROM sqlite_schema").fetchall():
            columns = [row[1] for row in plain.execute(f"PRAGMA table_info({table})")]
            found |= set(columns) & ids
            self.assertLessEqual({column.removesuffix("_id") for column in set(columns) & ids}, set(columns), table)
        self.assertEqual(found, ids)

    def test_name_and_content_of_a_file_agree(self):
        for form, name, ending in (("perfetto", "trace.zip", "Give it a name that ends in .tar."), ("chrome", "trace.tar", "ends in .json."),
                                   ("sqlite", "run.csv", "ends in .db."), ("csv", "tables.zip", "Give the folder another name.")):
            said = self.ringside("export", "trace.json", "--format", form, "-o", name, expect=2).stderr
            self.assertIn(f"{name} would be no .{name.split('.')[1]} file: format {form} writes", said)
            self.assertIn(ending, said)
            self.assertFalse((self.folder / name).exists())
        self.export("perfetto", "trace.perfetto-trace")

    def test_the_help_names_the_tar_a_tar(self):
        self.assertIn("--format perfetto -o trace.tar", self.ringside("export", "--help").stdout)

    def test_an_exported_timeline_is_no_run(self):
        self.export("chrome", "shown.json")
        said = self.ringside("report", "shown.json", expect=3).stderr
        self.assertIn("shown.json is a timeline that Ringside exported for viewers\n  Give the run that it was exported from", said)
        subprocess.run(["tar", "-xf", self.export("perfetto", "shown.tar"), "-C", self.folder], check=True)
        self.assertIn("exported for viewers", self.ringside("report", "rank00000.json", expect=3).stderr)

    def test_query_lists_what_a_person_queries(self):
        tables = {row["table"]: row["columns"] for row in json.loads(self.ringside("query", "trace.json", "--format", "json").stdout)}
        self.assertIn("end_ns", tables["kernel"])
        self.assertIn("kernel_detail", tables)
        self.assertEqual([name for name in tables if name.endswith("_chunk")], [])
        self.assertIn("ringside query trace.json", self.ringside("query", "trace.json", "SELECT x FROM nothing", expect=2).stderr)

    def test_serve_refuses_a_run_that_has_ended(self):
        self.ringside("import", "trace.json", "-o", "done.ringside")
        said = self.ringside("serve", "done.ringside", "--listen", "127.0.0.1:0", expect=3).stderr
        self.assertIn("done.ringside does not run any more\n  For what was recorded: ringside report done.ringside", said)

    def test_record_refuses_a_folder_for_metrics_that_is_not_there(self):
        said = self.ringside("record", "--metrics", "absent", "-o", "run.ringside", "--", "true", expect=125).stderr
        self.assertIn("--metrics absent is no directory\n  Make it first: mkdir -p absent", said)
        self.assertFalse((self.folder / "run.ringside").exists())
        self.ringside("record", "--metrics", "trace.json", "--", "true", expect=125)


unittest.main(verbosity=2)
