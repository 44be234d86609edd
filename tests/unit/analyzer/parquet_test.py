# SPDX-License-Identifier: Apache-2.0
"""Tables as Parquet files hold what the Arrow files hold: parquet_test.py RINGSIDE MAKE_JOB. hyparquet (npm) reads them too, where it is
installed with hyparquet-compressors."""

import json
import os
import shutil
import subprocess
import sys
import unittest

import arrow_reader
import cases
import parquet_reader

RINGSIDE, MAKE_JOB = sys.argv.pop(1), sys.argv.pop(1)
READ = """
Promise.all([import("hyparquet"), import("hyparquet-compressors")]).then(async ([reader, more]) => {
  const file = await reader.asyncBufferFromFile(process.argv[1])
  const rows = await reader.parquetReadObjects({ file, compressors: more.compressors })
  console.log(JSON.stringify(rows, (key, value) => typeof value === "bigint" ? String(value) : value))
})"""


def modules():
    if not shutil.which("npm"):
        return ""
    root = os.environ.get("NODE_PATH") or subprocess.run(["npm", "root", "--global"], text=True, capture_output=True, check=False).stdout.strip()
    return root if os.path.isdir(os.path.join(root, "hyparquet-compressors")) else ""


class Parquet(cases.FolderCase):
    def export(self, source, form):
        done = subprocess.run([RINGSIDE, "export", source, "--format", form, "-o", self.folder / form], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / form

    def hold_against_arrow(self, source):
        """Returns the tables that have rows."""
        arrow, parquet = self.export(source, "arrow"), self.export(source, "parquet")
        self.assertEqual({path.stem for path in parquet.iterdir()}, {path.stem for path in arrow.iterdir()})
        filled = {}
        for path in parquet.iterdir():
            table = parquet_reader.read(path)
            self.assertEqual(table, arrow_reader.read(arrow / (path.stem + ".arrow")), path.stem)
            if any(table.values()):
                filled[path.stem] = table
        return filled

    def test_all_tables_of_a_job(self):
        job = self.folder / "job.ringside"
        subprocess.run([MAKE_JOB, job, "8", "48"], check=True)
        tables = self.hold_against_arrow(job)
        self.assertGreater(len(tables["kernel"]["name"]), 1 << 16)  # several pages
        self.assertTrue({"kernel", "collective_call", "step_mark", "rank"} <= set(tables))
        self.assertTrue(any(None in column for table in tables.values() for column in table.values()))

    def test_names_of_any_bytes_and_groups_of_many_texts(self):
        kernels = [{"ph": "X", "cat": "kernel", "name": f"{i} " + "é" * 40_000, "pid": 0, "tid": 7, "ts": 10.0 * i, "dur": 2.0,
                    "args": {"device": 0, "stream": 7, "correlation": i}} for i in range(1, 1000)]
        trace = self.folder / "trace.json"
        trace.write_bytes(json.dumps({"traceEvents": kernels}, ensure_ascii=False).encode().replace(b"2 \xc3", b"2 \xff\xc3"))
        names = self.hold_against_arrow(trace)["kernel"]["name"]
        self.assertEqual(len(set(names)), 999)
        self.assertTrue(any("?" in name for name in names))

    @unittest.skipUnless(modules(), "hyparquet is not installed")
    def test_another_program_reads_them(self):
        job = self.folder / "job.ringside"
        subprocess.run([MAKE_JOB, job, "8", "2"], check=True)
        for path in self.export(job, "parquet").iterdir():
            done = subprocess.run(["node", "-e", READ, path], text=True, capture_output=True, cwd=modules(), check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            mine = parquet_reader.read(path)
            rows = [{name: str(cell) if isinstance(cell, int) else cell for name, cell in zip(mine, row)} for row in zip(*mine.values())]
            self.assertEqual(json.loads(done.stdout), rows, path.stem)


if __name__ == "__main__":
    unittest.main()
