# SPDX-License-Identifier: Apache-2.0
"""Runs that are none, by all commands that take one: each ends at once, with a sentence that names what the user gave:
hostile_input_test.py RINGSIDE."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import unittest

import cases

RINGSIDE = sys.argv.pop(1)
READERS = {"report": ["report", "RUN"], "query": ["query", "RUN", "SELECT 1"], "merge": ["merge", "RUN", "-o", "merged.db"], "hang": ["hang", "RUN"],
           "diff": ["diff", "RUN", "RUN"], "scaling": ["scaling", "RUN"], "history": ["history", "RUN"], "goodput": ["goodput", "RUN"], "roles": ["roles", "RUN"],
           "whatif": ["whatif", "RUN"], "links": ["links", "RUN"],
           "import": ["import", "RUN", "-o", "imported"], "export": ["export", "RUN", "--format", "csv", "-o", "exported"]}


def trace(rank):
    kernels = [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10 + 10 * i, "dur": 5,
                "args": {"device": 0, "stream": 7, "correlation": i}} for i in range(20)]
    return {"traceEvents": kernels, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}}


class HostileInput(cases.FolderCase):
    def ringside(self, *arguments, expect=0, **options):
        done = subprocess.run([RINGSIDE, *map(str, arguments)], cwd=self.folder, text=True, capture_output=True, timeout=20,
                              stdin=subprocess.DEVNULL, **options)
        self.assertEqual(done.returncode, expect, (arguments, done.stderr))
        return done

    def refusals(self, run, names=None, expect=3):
        """What the readers say of it."""
        for name in names or READERS:
            words = [str(run) if word == "RUN" else word for word in READERS[name]]
            yield name, self.ringside(*words, expect=expect).stderr

    def native_run(self, name="native.ringside", ranks=(0, 1)):
        for rank in ranks:
            (self.folder / f"rank{rank}.json").write_text(json.dumps(trace(rank)))
        self.ringside("import", *(f"rank{rank}.json" for rank in ranks), "-o", name)
        return self.folder / name

    def test_what_is_no_file_is_told_at_once(self):
        os.mkfifo(self.folder / "pipe")
        for run in ("pipe", "/dev/zero", "/dev/null"):
            for name, said in self.refusals(run):
                self.assertIn(f"{run} is no regular file", said, name)

    def test_pipes_in_a_directory_are_left_alone(self):
        (self.folder / "run").mkdir()
        for end in (".db", ".json", ".stacks", ".rings", ".gone"):
            os.mkfifo(self.folder / f"run/host-1{end}")
        for name, said in self.refusals("run"):
            self.assertIn("run contains no trace", said, name)
        for end in (".stacks", ".gone", ".status"):
            os.mkfifo(self.native_run(f"with{end}") / f"imported-0{end}")
            self.ringside("report", f"with{end}")

    def test_what_cannot_be_reached_says_why(self):
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "file").write_text("x")
        for run, why in (("loop", "symbolic links"), ("file/x", "Not a directory"), ("x" * 300, "too long"), ("nosuch", "does not exist"), ("", "''")):
            for name, said in self.refusals(run):
                self.assertIn(why, said, name)
                self.assertNotIn("filesystem error", said, name)

    def test_damaged_traces_are_named_as_they_were_given(self):
        run = self.native_run()
        whole = next(run.glob("*.db")).read_bytes()
        for damaged, why in ((b"", "is empty"), (b"\0" * 8192, "is filled with zeros"), (b"x" * 500, "is not"), (whole[:5000], "is damaged"),
                             (whole[:100] + b"\xa5" * (len(whole) - 100), "is damaged")):
            (self.folder / "bad.db").write_bytes(damaged)
            for name, said in self.refusals("bad.db", ("report", "query", "merge", "hang", "diff")):
                self.assertRegex(said, f"error: (./)?bad.db {why}", name)
                self.assertNotIn("/tmp", said, name)

    def test_a_damaged_page_stops_a_query_with_the_runs_name(self):
        file = next(self.native_run().glob("*.db"))
        whole = bytearray(file.read_bytes())
        for page in range(len(whole) // 4096 // 2, len(whole) // 4096):  # the schema stays
            whole[page * 4096:page * 4096 + 100] = b"\xa5" * 100
        file.write_bytes(whole)
        said = self.ringside("query", "native.ringside", "SELECT * FROM setting, kernel, string", expect=3).stderr
        self.assertIn(f"native.ringside/{file.name}", said)

    def test_a_process_that_claims_too_many_ranks_gets_a_bound_and_a_sentence(self):
        rows, most = 20_000, 1 << 14
        file = next(self.native_run(ranks=(0,)).glob("*.db"))
        with sqlite3.connect(file) as trace_file:
            trace_file.execute("DELETE FROM kernel_chunk")  # else each of them has its kernels
            trace_file.executemany("INSERT INTO rank (process_id, rank, world_size, attempt, source) VALUES (1, ?, 2, 0, 'import')",
                                   ((rank,) for rank in range(1, rows)))
        report = json.loads(self.ringside("report", "native.ringside", "--format", "json").stdout)
        self.assertEqual(len(report["run"]["ranks_present"]), most)
        self.assertIn({"id": "too_many_rows", "count": rows - most}, [{"id": each["id"], "count": each["count"]} for each in report["issues"]])

    def test_other_databases_are_no_run(self):
        run = self.native_run()
        shutil.copy("/dev/null", self.folder / "notes.txt")
        subprocess.run([sys.executable, "-c", "import sqlite3; sqlite3.connect('mlflow.db').execute('CREATE TABLE a(b)')"], cwd=self.folder, check=True)
        self.assertIn("rank", self.ringside("report", ".").stdout)  # the profiler's files, not the database
        self.assertIn("mlflow.db is a SQLite file, but not a Ringside trace", self.ringside("report", "mlflow.db", expect=3).stderr)
        self.assertTrue(run.exists())

    def test_the_whole_machine_is_no_run(self):
        for run in ("/", "//", "/proc/.."):
            for name, said in self.refusals(run, set(READERS) - {"merge"}):
                self.assertIn("the whole machine", said, name)
        for run in ("/proc", "/proc/self", "/sys"):
            self.assertIn("made by the kernel", self.ringside("report", run, expect=3).stderr)

    def test_a_file_that_may_not_be_read_hides_no_other(self):
        (self.folder / "runs").mkdir()
        (self.folder / "runs/rank0.json").write_text(json.dumps(trace(0)))
        (self.folder / "runs/secret.json").write_text("{}")
        (self.folder / "runs/secret.json").chmod(0)
        self.folder.chmod(0o755)
        other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        self.assertIn("rank", self.ringside("report", "runs", **other).stdout)
        (self.folder / "runs/rank0.json").unlink()
        self.assertRegex(self.ringside("report", "runs", expect=3, **other).stderr, "no trace that can be read; .*secret.json")

    def test_hidden_folders_are_not_searched(self):
        (self.folder / ".git").mkdir()
        (self.folder / ".git/rank0.json").write_text(json.dumps(trace(0)))
        self.assertIn("contains no trace", self.ringside("report", ".", expect=3).stderr)

    def test_two_runs_are_not_taken_for_one(self):
        self.native_run("a run.ringside")
        self.native_run("b.ringside")
        for name in ("report", "whatif", "links"):
            said = self.ringside(name, "a run.ringside", "b.ringside", expect=2).stderr
            self.assertIn("a run.ringside and b.ringside are two runs", said)
            self.assertIn("ringside diff 'a run.ringside' b.ringside", said)
        said = self.ringside("query", "a run.ringside", "b.ringside", "SELECT 1", expect=2).stderr
        self.assertIn("two runs", said)
        self.ringside("diff", "a run.ringside", "b.ringside")
        said = self.ringside("diff", "a run.ringside", "b.ringside", "c", expect=2).stderr
        self.assertIn("unexpected argument 'c'", said)

    def test_one_run_given_twice_is_one(self):
        self.native_run("a.ringside")
        (self.folder / "link").symlink_to("a.ringside")
        for names in (("a.ringside/",), ("a.ringside", "a.ringside"), ("./a.ringside", "a.ringside/"), ("a.ringside", "link")):
            self.assertIn("Ringside: a.ringside", self.ringside("report", *names).stdout, names)
        self.assertRegex(self.ringside("report", "rank0.json", "rank1.json").stdout, "^Ringside: [^ ]+ - ")

    def test_one_run_may_lie_in_two_directories(self):
        self.native_run("host0.ringside", (0,))
        self.native_run("host1.ringside", (1,))
        self.ringside("report", "host0.ringside", "host1.ringside")

    def test_files_of_settings_are_read_as_files(self):
        self.native_run()
        os.mkfifo(self.folder / "pipe")
        for words in (("report", "native.ringside", "--config"), ("doctor", "--expect"), ("links", "--from")):
            for file, why in (("pipe", ""), ("/dev/zero", "larger than"), ("/", "directory"), ("nosuch", "No such file")):
                done = subprocess.run([RINGSIDE, *words, file], cwd=self.folder, text=True, capture_output=True, timeout=20)
                if file == "pipe" and "--config" in words:
                    continue  # an empty file of thresholds is one
                self.assertIn(done.returncode, (2, 3), (words, file))
                self.assertRegex(done.stderr, f"{file}.*{why}", words)

    def test_what_a_program_writes_is_read_too(self):
        self.native_run()
        script = f'"{RINGSIDE}" report native.ringside --config <(sleep 0.2; echo "[late_rank]"; echo lost_shares = 1)'
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, text=True, capture_output=True, timeout=20)
        self.assertIn(":2: no rule has the option 'late_rank.lost_shares'", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
