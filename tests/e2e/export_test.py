# SPDX-License-Identifier: Apache-2.0
"""Exports of a run: an independent parser reads every format and finds the same data as in the run."""

import collections
import csv
import json
import re
import shutil
import sqlite3
import subprocess
import tarfile
import unittest

from prometheus_client.parser import text_string_to_metric_families

import lab

TABLES = ("kernel", "launch", "collective_call", "user_range", "sample", "string", "issue")


def tracks(events):
    """Slices by track, times in ns: the text of a time holds them exactly."""
    result = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            start = round(event["ts"] * 1000)
            result[event["pid"], event["tid"]].append((start, start + round(event["dur"] * 1000), event["name"]))
    return result


class Exports(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.directory = cls.training("run", [], steps=15)
        cls.result = lab.report(cls.directory)

    def export(self, form):
        endings = {"csv": "", "perfetto": ".tar", "chrome": ".json", "sqlite": ".sqlite"}  # csv is a folder
        output = self.folder / f"{self._testMethodName}_{form}{endings.get(form, '.' + form)}"
        lab.run([lab.RINGSIDE, "export", self.directory, "--format", form, "-o", output])
        return output

    def query(self, sql):
        return json.loads(lab.run([lab.RINGSIDE, "query", self.directory, "--format", "json", sql]).stdout)

    def test_timelines_nest_and_hold_every_kernel(self):
        trace = json.loads(self.export("chrome").read_text())
        self.assertTrue(trace["otherData"]["emulated"])
        events = trace["traceEvents"]
        self.assertEqual({event["pid"] for event in events}, set(range(4)))
        kernels = self.query("SELECT count(*) AS n, sum(end_ns - start_ns) AS ns FROM kernel")[0]
        crossing = self.query("""
            WITH work AS (SELECT process_id, stream, start_ns, lag(end_ns) OVER (PARTITION BY process_id, stream ORDER BY start_ns)
                          AS before FROM kernel)
            SELECT ifnull(sum(before - start_ns), 0) AS ns FROM work WHERE before > start_ns""")[0]  # moved apart
        shown = [event for event in events if event["ph"] == "X" and event["cat"] in ("compute", "communication")]
        self.assertEqual(len(shown), kernels["n"])
        self.assertEqual(sum(round(event["dur"] * 1000) for event in shown), kernels["ns"] - crossing["ns"])
        for track, slices in tracks(events).items():
            open_ends = []
            for start, end, name in sorted(slices, key=lambda slice: (slice[0], -slice[1])):
                while open_ends and open_ends[-1] <= start:
                    open_ends.pop()
                self.assertTrue(not open_ends or end <= open_ends[-1], f"{name} on {track} leaves the slice around it")
                open_ends.append(end)
        starts = {event["id"]: event for event in events if event["ph"] == "s"}
        ends = [event for event in events if event["ph"] == "f"]
        self.assertGreater(len(ends), 100)
        for event in ends:
            self.assertLessEqual(starts[event["id"]]["ts"], event["ts"])

    def test_kernels_say_how_they_were_launched(self):
        events = json.loads(self.export("chrome").read_text())["traceEvents"]
        shown = {(*event["args"]["grid"], *event["args"]["block"], event["args"]["registers per thread"], event["args"]["shared memory"])
                 for event in events if event["ph"] == "X" and event["cat"] in ("compute", "communication")}
        columns = "grid_x, grid_y, grid_z, block_x, block_y, block_z, registers_per_thread, shared_bytes"
        stored = {tuple(row.values()) for row in self.query(f"SELECT DISTINCT {columns} FROM kernel_detail")}
        self.assertEqual(shown, stored)
        self.assertIn((1, 1, 1, 640, 1, 1, 96, 103808), stored)  # an emulated kernel of NCCL
        occupancy = self.query("SELECT min(theoretical_occupancy_percent) AS least, count(*) - count(theoretical_occupancy_percent)"
                               " AS unknown FROM kernel_detail")[0]
        self.assertEqual(occupancy, {"least": 25, "unknown": 0})

    def test_perfetto_gets_one_file_a_rank_and_the_offsets(self):
        with tarfile.open(self.export("perfetto")) as archive:
            self.assertEqual(archive.getnames()[0], "manifest.json")  # readers want it first
            manifest = json.load(archive.extractfile("manifest.json"))["perfetto_manifest"]
            self.assertEqual(manifest["version"], 1)
            whole = tracks(json.loads(self.export("chrome").read_text())["traceEvents"])
            seen = set()
            for file in manifest["files"]:
                offset = file["clocks"]["offset_ns"]
                for track, slices in tracks(json.load(archive.extractfile(file["path"]))["traceEvents"]).items():
                    seen.add(track)
                    moved = [(start + offset, end + offset, name) for start, end, name in slices]
                    self.assertEqual(moved, whole[track])
            self.assertEqual(seen, set(whole))

    def test_a_part_holds_what_overlaps_it_of_the_chosen_ranks(self):
        whole = tracks(json.loads(self.export("chrome").read_text())["traceEvents"])
        steps = sorted(slice for track, slices in whole.items() if track[0] == 2 for slice in slices if slice[2].startswith("step "))
        start, end = steps[5][0], steps[6][1]
        output = self.folder / "part.json"
        lab.run([lab.RINGSIDE, "export", self.directory, "--format", "chrome", "-o", output,
                 "--from", f"{start}ns", "--to", f"{end}ns", "--rank", "2"])
        part = json.loads(output.read_text())["traceEvents"]
        self.assertEqual({event["pid"] for event in part}, {2})
        wanted = {track: [slice for slice in slices if slice[0] <= end and slice[1] >= start]
                  for track, slices in whole.items() if track[0] == 2}
        self.assertEqual(tracks(part), {track: slices for track, slices in wanted.items() if slices})
        slices = {event["ts"] for event in part if event["ph"] == "X"}
        self.assertTrue(all(event["ts"] in slices for event in part if event["ph"] == "s"), "arrows begin at a launch")

    def test_parts_of_an_archive_and_their_mistakes(self):
        output = self.folder / "part.perfetto-trace"
        lab.run([lab.RINGSIDE, "export", self.directory, "--format", "perfetto", "-o", output, "--rank", "3", "--rank", "1"])
        with tarfile.open(output) as archive:
            self.assertEqual(archive.getnames(), ["manifest.json", "rank00001.json", "rank00003.json"])
            files = json.load(archive.extractfile("manifest.json"))["perfetto_manifest"]["files"]
            self.assertEqual([file["path"] for file in files], archive.getnames()[1:])
        for wrong, message in ((["--format", "chrome", "--from", "soon"], "--from soon is not a time"),
                               (["--format", "chrome", "--from", "2s", "--to", "1s"], "--to is before --from"),
                               (["--format", "perfetto", "--rank", "9"], "the run has no rank 9"),
                               (["--format", "csv", "--to", "1s"], "do not work with format csv")):
            done = lab.run([lab.RINGSIDE, "export", self.directory, "-o", self.folder / "none", *wrong], expect=2)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.folder / "none").exists())

    def test_tables_are_those_that_sql_shows(self):
        plain = sqlite3.connect(self.export("sqlite"))
        folder = self.export("csv")
        for table in TABLES:
            columns = "process_id, id, demangled(text) AS text" if table == "string" else "*"  # exports are read by people
            queried = self.query(f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3")
            wanted = [tuple(row.values()) for row in queried]
            shared = ", ".join(queried[0]) if queried else "*"  # exports have the texts of ids besides
            self.assertEqual(plain.execute(f"SELECT {shared} FROM {table} ORDER BY 1, 2, 3").fetchall(), wanted, table)
            with open(folder / f"{table}.csv", newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            columns = [column[0] for column in plain.execute(f"SELECT {shared} FROM {table}").description]
            self.assertEqual(collections.Counter(tuple(row[c] for c in columns) for row in rows),
                             collections.Counter(tuple("" if v is None else str(v) for v in row) for row in wanted), table)

    def test_prometheus_gets_the_reports_figures(self):
        families = {family.name: family for family in
                    text_string_to_metric_families(self.export("prometheus").read_text())}
        share = families["ringside_communication_share"].samples[0]
        self.assertEqual(share.value, self.result["summary"]["communication_share"])
        self.assertEqual(share.labels, {"run": self.directory.name, "emulated": "true"})
        parts = collections.Counter()
        for sample in families["ringside_rank_step_seconds"].samples:
            parts[sample.labels["rank"]] += 1
        self.assertEqual(parts, {str(rank): 4 for rank in range(4)})

    @unittest.skipUnless(shutil.which("otf2-print"), "otf2-print is not installed")
    def test_otf2_says_who_sent_what(self):
        if "otf2" not in lab.run([lab.RINGSIDE, "export", "--help"]).stdout:
            self.skipTest("built without libotf2")
        printed = subprocess.run(["otf2-print", self.export("otf2") / "traces.otf2"], check=True, capture_output=True, text=True).stdout
        ends = [line for line in printed.splitlines() if line.startswith("MPI_COLLECTIVE_END")]
        matched = self.query("SELECT count(*) AS n FROM collective_call")[0]["n"]
        self.assertEqual(len(ends), matched)
        first = [re.search(r"Root: (\d+).*Sent: (\d+), Received: (\d+)", line) for line in ends if "BCAST" in line]
        sizes = sorted((int(found[2]), int(found[3])) for found in first)  # the parameters, from rank 0 to all
        self.assertEqual({found[1] for found in first}, {"0"})
        self.assertEqual([sent for sent, _ in sizes], [0, 0, 0, sizes[-1][0]])
        self.assertEqual([received for _, received in sizes], [sizes[-1][0]] * 3 + [0])
        self.assertGreater(sizes[-1][0], 0)

    def test_what_holds_the_run_is_as_private_as_the_run(self):
        for form, private in (("chrome", True), ("perfetto", True), ("sqlite", True), ("csv", True), ("prometheus", False)):
            output = self.export(form)
            for file in [output, *output.glob("*")]:
                self.assertEqual(file.stat().st_mode & 0o077 == 0, private, f"{file}: {file.stat().st_mode:o}")

    def test_nothing_is_overwritten(self):
        output = self.folder / "precious"
        output.write_text("precious")
        done = lab.run([lab.RINGSIDE, "export", self.directory, "--format", "csv", "-o", output], expect=2)
        self.assertIn("precious exists already", done.stderr)
        self.assertEqual(output.read_text(), "precious")


if __name__ == "__main__":
    lab.main()
