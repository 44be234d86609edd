# SPDX-License-Identifier: Apache-2.0
"""Every command of Ringside that the catalogue of words advises is run: commands_said_test.py RINGSIDE STEP_PATTERNS FAMILIES.

A text that advises a command for which this test has no way to run it fails the test: what is printed must work as printed."""

import json
import pathlib
import re
import subprocess
import sys

import cases

RINGSIDE, STEP_PATTERNS, FAMILIES = sys.argv.pop(1), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
# Options of other programs: docker, SLURM, torchrun.
FOREIGN = {"--cpus", "--cpus-per-task", "--shm-size=1g", "--ipc=host", "--numa-binding=node", "--now", "--gpu-reset", "--cpu-bind", "--ulimit memlock=-1"}


def texts():
    """(file, text) of the catalogue, each text in one piece."""
    for path in (*sorted(FAMILIES.glob("*.def")), FAMILIES.parent / "phrases.def"):
        for row in re.findall(r'RINGSIDE_\w+\((?:[^()"]|"(?:[^"\\]|\\.)*")*\)', path.read_text()):
            yield path.name, "".join(json.loads(f'"{piece}"') for piece in re.findall(r'"((?:[^"\\]|\\.)*)"', row))


def advised():
    """{what is advised: file}: commands in backticks without the names in their slots, and options, with the word behind each."""
    found = {}
    for name, text in texts():
        for quoted in re.findall(r"`([^`]*)`", text):
            if quoted.startswith("ringside "):
                found[re.sub(r" \{\w+:\w+\}", " RUN", quoted)] = name
            elif quoted.startswith("--"):
                found[quoted] = name
        for option in re.findall(r"(--[a-z][a-z-]+(?: NAME| none)?)", re.sub(r"`[^`]*`", "", text)):
            found[option] = name
    return {what: name for what, name in found.items() if what not in FOREIGN}


class CommandsSaid(cases.FolderCase):
    def run_it(self, *words):
        done = subprocess.run([RINGSIDE, *map(str, words)], text=True, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def setUp(self):
        super().setUp()
        self.recorded = self.folder / "job.ringside"
        subprocess.run([STEP_PATTERNS, "FSDP", self.recorded], check=True, capture_output=True)
        self.kernel_log = self.folder / "dmesg.txt"
        self.kernel_log.write_text("[    1.000000] Linux version 6.1.0\n[   12.500000] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, GPU has fallen off the bus.\n")

    def record(self, *options):
        self.run_it("record", "-o", self.folder / "new.ringside", *options, "--", "true")

    def expect_of_a_host(self):
        (self.folder / "host.json").write_text(self.run_it("doctor", "--manifest"))
        self.run_it("doctor", "--expect", self.folder / "host.json")

    def probe(self, *options):
        """Both ends on this host: a launcher that starts them here."""
        self.run_it("probe", "--hosts", "env A=1", "--hosts", "env B=2", "--leader", "127.0.0.1", "--mib", "1", *options)

    def ways(self):
        run = self.recorded
        return {
            "ringside hang RUN": lambda: self.run_it("hang", run),
            "ringside links": lambda: self.run_it("links", run),
            "ringside links RUN --from FILE": lambda: self.run_it("links", run, "--from", self.kernel_log),
            "ringside links --from FILE": lambda: self.run_it("links", "--from", self.kernel_log),
            "ringside links --from": lambda: self.run_it("links", "--from", self.kernel_log),
            "ringside whatif": lambda: self.run_it("whatif", run),
            "ringside diff": lambda: self.run_it("diff", run, run),
            "ringside doctor --expect": self.expect_of_a_host,
            "ringside probe": self.probe,
            "ringside probe --into": lambda: self.probe("--into", run),
            "ringside record": self.record,
            "--profile standard": lambda: self.record("--profile", "standard"),
            "--profile light": lambda: self.record("--profile", "light"),
            "--profile deep": lambda: self.record("--profile", "deep"),
            "--steps": lambda: self.record("--start-step", "2", "--steps", "3"),
            "--window 2s/60s": lambda: self.record("--window", "2s/60s"),
            "--round-trip-ms": lambda: self.run_it("doctor", "--round-trip-ms", "0.2"),
            "--from": lambda: self.run_it("links", "--from", self.kernel_log),
            "--parallel": lambda: self.run_it("report", run, "--parallel", "dp=2"),
            "--steps-by": lambda: self.run_it("report", run, "--steps-by", "period=75"),
            "--steps-by NAME": self.steps_by_a_range,
            "--steps-by none": lambda: self.run_it("report", run, "--steps-by", "none"),
        }

    def steps_by_a_range(self):
        """Followed as the report of such a trace prints it."""
        events = []
        for i in range(15):
            begin = 1000 * i
            events.append({"ph": "X", "cat": "user_annotation", "name": "one_round", "ts": begin, "dur": 900, "pid": 1, "tid": 1})
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": begin + 10, "dur": 5, "pid": 1, "tid": 1,
                           "args": {"correlation": i + 1}})
            events.append({"ph": "X", "cat": "kernel", "name": "gemm", "ts": begin + 20, "dur": 700, "pid": 0, "tid": 7,
                           "args": {"correlation": i + 1, "device": 0, "stream": 7}})
        trace = self.folder / "rank0.json"
        trace.write_text(json.dumps({"traceEvents": events, "distributedInfo": {"rank": 0, "world_size": 1}}))
        said = self.run_it("report", trace, "--all")
        self.assertIn("--steps-by NAME", " ".join(said.split()))
        report = json.loads(self.run_it("report", trace, "--steps-by", "one_round", "--format", "json"))
        self.assertEqual(report["coverage"]["steps"]["total"], 15)

    def test_each_advised_command_runs(self):
        ways = self.ways()
        every = advised()
        self.assertGreater(len(every), 15, "the catalogue's texts were not found")
        for what, name in sorted(every.items()):
            with self.subTest(what=what, file=name):
                self.assertIn(what, ways, "nobody has tried it")
                ways[what]()

    def test_no_way_is_left_over(self):
        self.assertEqual(sorted(set(self.ways()) - set(advised())), [])


if __name__ == "__main__":
    cases.unittest.main()
