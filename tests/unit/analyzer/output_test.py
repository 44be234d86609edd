# SPDX-License-Identifier: Apache-2.0
"""What the commands write, and where it cannot be written: output_test.py RINGSIDE."""

import gzip
import json
import os
import pathlib
import re
import pty
import signal
import stat
import subprocess
import sys
import time
import unittest

import cases

RINGSIDE = sys.argv.pop(1)
SLOW_SQL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
TO_STDOUT = (("--help",), ("--version",), ("report", "--help"), ("rules",), ("rules", "--format", "markdown"), ("doctor",), ("doctor", "--facts"),
             ("doctor", "--format", "json"), ("report", "run.ringside"), ("report", "run.ringside", "--format", "json"),
             ("report", "run.ringside", "--format", "html"), ("query", "run.ringside", "SELECT 1"), ("diff", "run.ringside", "run.ringside"),
             ("scaling", "alone.json", "run.ringside"), ("history", "run.ringside"), ("whatif", "run.ringside"),
             ("links", "run.ringside"), ("hang", "run.ringside"))
FILES = {"report": ("--format", "json"), "report --format hta-csv": (), "merge": (), "import": (),
         **{f"export --format {name}": () for name in ("chrome", "csv", "perfetto", "sqlite")}}


def trace(rank, size=2):
    """Six steps of 100 us, each with a kernel and its launch."""
    events = []
    for i in range(6):
        start = 1000 + 100 * i
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 9, "tid": 9, "ts": start, "dur": 99})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": start + 1, "dur": 2,
                       "args": {"correlation": i + 1}})
        events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": start + 5, "dur": 60,
                       "args": {"device": 0, "stream": 7, "correlation": i + 1}})
    return {"traceEvents": events, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": size}}


def made(path):
    """Sizes of what a command made, by name: of a file, or of the files of a folder."""
    files = path.iterdir() if path.is_dir() else [path] if path.exists() else []
    return {file.name if path.is_dir() else "": file.stat().st_size for file in files}


class Output(cases.FolderCase):
    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "TMPDIR": str(self.folder)}
        (self.folder / "alone.json").write_text(json.dumps(trace(0, 1)))
        for rank in (0, 1):
            (self.folder / f"rank{rank}.json").write_text(json.dumps(trace(rank)))
        self.ringside("import", "rank0.json", "rank1.json", "-o", "run.ringside")

    def ringside(self, *arguments, expect=0, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        done = subprocess.run([RINGSIDE, *map(str, arguments)], cwd=self.folder, text=True, timeout=60, env=self.environment, **options)
        self.assertEqual(done.returncode, expect, (arguments, done.stderr))
        return done

    def test_names_that_mean_something_to_sqlite_are_names(self):
        (self.folder / "x.db").write_text("somebody else's")
        for name in (":memory:", "file:x.db"):
            self.ringside("merge", "run.ringside", "-o", name)
            self.assertEqual((self.folder / name).read_bytes()[:6], b"SQLite", name)
            (self.folder / name).unlink()
            self.ringside("export", "run.ringside", "--format", "sqlite", "-o", name)
            self.assertEqual((self.folder / name).read_bytes()[:6], b"SQLite", name)
        self.assertEqual((self.folder / "x.db").read_text(), "somebody else's")

    def test_a_full_device_is_a_failure(self):
        for words in TO_STDOUT:
            with open("/dev/full", "w", encoding="utf-8") as full:
                said = self.ringside(*words, expect=3, stdout=full).stderr
            self.assertIn("No space left on device", said, words)

    def test_a_closed_stdout_is_a_failure(self):
        for words in TO_STDOUT:
            said = self.ringside(*words, expect=3, stdout=None, preexec_fn=lambda: os.close(1)).stderr
            self.assertIn("Bad file descriptor", said, words)

    def test_a_reader_that_leaves_ends_the_command_silently(self):
        for words in (("report", "run.ringside"), ("rules",)):
            read, write = os.pipe()
            os.close(read)
            self.assertEqual(self.ringside(*words, expect=-signal.SIGPIPE, stdout=write).stderr, "")
            os.close(write)

    def test_nobody_who_listens_changes_nothing(self):
        collector = cases.make_collector(self.folder / "collector.so")
        self.environment["RINGSIDE_COLLECTOR"] = str(collector)
        for name, words, code in (("a", ("sh", "-c", "exit 7"), 7), ("b", ("absent",), 127)):
            with open("/dev/full", "w", encoding="utf-8") as full:
                self.ringside("record", "-o", f"full-{name}", "--", *words, expect=code, stderr=full)
            self.ringside("record", "-o", f"closed-{name}", "--", *words, expect=code, stderr=None, preexec_fn=lambda: os.close(2))
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.ringside("merge", "run.ringside", "-o", "merged.db", stderr=full)

    def test_a_closed_stream_stays_closed_in_the_command_that_is_recorded(self):
        collector = cases.make_collector(self.folder / "collector.so")
        self.environment.update(RINGSIDE_COLLECTOR=str(collector), LD_PRELOAD="")
        done = self.ringside("record", "-o", "r", "--", "bash", "-c", "[ ! -e /proc/$$/fd/0 ] && [ ! -e /proc/$$/fd/2 ] && echo closed",
                             stdin=None, stderr=None, preexec_fn=lambda: os.closerange(0, 1) or os.close(2))
        self.assertEqual(done.stdout, "closed\n")

    def test_talk_never_gets_into_a_file_that_is_written(self):
        for name, options in FILES.items():
            words = [*name.split(), "run.ringside", *options, "-o"]
            self.ringside(*words, "plain")
            self.ringside(*words, "closed", stdout=None, stderr=None, stdin=None, preexec_fn=lambda: os.closerange(0, 3))
            for file in (path for path in (self.folder / "plain", *self.folder.glob("plain/*")) if path.is_file()):
                other = self.folder / "closed" / file.name if file.parent.name == "plain" else self.folder / "closed"
                self.assertEqual(file.stat().st_size, other.stat().st_size, name)
            subprocess.run(["rm", "-rf", "plain", "closed"], cwd=self.folder, check=True)

    def test_what_is_written_is_its_owners_alone(self):
        for umask in (0o000, 0o022):
            for number, (name, options) in enumerate(FILES.items()):
                output = self.folder / f"out-{umask}-{number}"
                self.ringside(*name.split(), "run.ringside", *options, "-o", output.name, umask=umask)
                for path in (output, *output.glob("*")):
                    self.assertEqual(stat.S_IMODE(path.stat().st_mode) & 0o077, 0, (name, path.name))
        for umask, mode in ((0o022, 0o644), (0o077, 0o600)):  # another user's node exporter reads it
            self.ringside("export", "--format", "prometheus", "run.ringside", "-o", f"figures-{umask}", umask=umask)
            self.assertEqual(stat.S_IMODE((self.folder / f"figures-{umask}").stat().st_mode), mode)

    def test_a_file_that_is_replaced_keeps_its_mode(self):
        report = self.folder / "report.json"
        report.write_text("x" * 1_000_000)
        report.chmod(0o644)
        self.ringside("report", "run.ringside", "--format", "json", "-o", "report.json")
        self.assertEqual(stat.S_IMODE(report.stat().st_mode), 0o644)
        json.loads(report.read_text())

    def test_a_file_that_is_replaced_stays_until_the_new_one_is_whole(self):
        small = "mkdir -p small && mount -t tmpfs -o size=8k none small"
        if subprocess.run(["unshare", "-m", "bash", "-c", small], cwd=self.folder, capture_output=True).returncode != 0:
            self.skipTest("no right to mount a small file system")
        script = (f'{small}; echo old > small/x; "{RINGSIDE}" report run.ringside --format html -o small/x; echo $?; cat small/x; '
                  "ls small | wc -l")
        done = subprocess.run(["unshare", "-m", "bash", "-c", script], cwd=self.folder, text=True, capture_output=True, timeout=20)
        self.assertEqual(done.stdout, "3\nold\n1\n", done.stderr)
        self.assertIn("No space left on device", done.stderr)

    def test_somebody_elses_file_stays_theirs(self):
        if os.geteuid() != 0:
            self.skipTest("only root can write it")
        theirs = self.folder / "theirs.html"
        theirs.write_text("old")
        os.chown(theirs, 65534, 65534)
        self.ringside("report", "run.ringside", "--format", "html", "-o", "theirs.html")
        self.assertEqual(theirs.stat().st_uid, 65534)
        self.assertIn("</html>", theirs.read_text())

    def test_a_link_leads_to_what_is_replaced(self):
        (self.folder / "real").mkdir()
        (self.folder / "link.html").symlink_to("real/report.html")
        self.ringside("report", "run.ringside", "--format", "html", "-o", "link.html")
        self.assertTrue((self.folder / "link.html").is_symlink())
        self.assertIn("</html>", (self.folder / "real" / "report.html").read_text())

    def test_where_nothing_can_be_written_says_why(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "folder").mkdir()
        for output, why in (("/dev/full", "No space left"), ("nosuch/x", "No such file"), ("folder", "Is a directory"), ("pipe", "no process reads"),
                            ("rank0.json/x", "Not a directory")):
            said = self.ringside("report", "run.ringside", "-o", output, expect=3).stderr
            self.assertRegex(said, f"{output}: .*{why}")
        for name, options in FILES.items():
            said = self.ringside(*name.split(), "run.ringside", *options, "-o", "nosuch/deep/x/y" if name != "import" else "rank0.json/x",
                                 expect=3).stderr
            self.assertRegex(said, "(nosuch/deep/x/y|rank0.json/x): (No such file|Not a directory)", name)

    def test_what_did_not_get_whole_is_not_left(self):
        small = "mkdir small && mount -t tmpfs -o size=16k none small"
        if subprocess.run(["unshare", "-m", "bash", "-c", small], cwd=self.folder, capture_output=True).returncode != 0:
            self.skipTest("no right to mount a small file system")
        for name, options in FILES.items():
            if name == "report --format hta-csv":
                continue  # the tables before the one that failed are whole
            words = " ".join([*name.split(), "run.ringside", *options, "-o", "small/x"])
            script = f'mount -t tmpfs -o size=16k none small; "{RINGSIDE}" {words}; echo $?; find small -type f'
            done = subprocess.run(["unshare", "-m", "bash", "-c", script], cwd=self.folder, text=True, capture_output=True, timeout=20)
            if not done.stdout.startswith("0"):  # it fits
                self.assertEqual(done.stdout, "3\n", words)
                self.assertRegex(done.stderr, "(No space left on device|the disk is full)", words)

    def test_an_interrupted_query_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            query = subprocess.Popen([RINGSIDE, "query", "run.ringside", SLOW_SQL], cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL)
            deadline = time.monotonic() + 20
            while not list(self.folder.glob("ringside-*/merged.db")) and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertTrue(list(self.folder.glob("ringside-*")))
            query.send_signal(number)
            self.assertEqual(query.wait(timeout=20), -number)
            self.assertEqual(list(self.folder.glob("ringside-*")), [])

    def test_an_interrupted_merge_leaves_nothing(self):
        many = [str(self.folder / f"rank{rank}.json") for rank in range(200)]
        for rank, file in enumerate(many):
            pathlib.Path(file).write_text(json.dumps(trace(rank, 200)))
        self.ringside("import", *many, "-o", "many.ringside")
        for words, output in ((("merge", "many.ringside"), "merged.db"), (("export", "many.ringside", "--format", "csv"), "tables"),
                              (("import", *many), "imported")):
            self.ringside(*words, "-o", "whole-" + output)
            work = subprocess.Popen([RINGSIDE, *words, "-o", output], cwd=self.folder, env=self.environment, stderr=subprocess.DEVNULL)
            while not (self.folder / output).exists() and work.poll() is None:
                pass
            work.send_signal(signal.SIGINT)
            if work.wait(timeout=20) != 0:  # it was not quicker, or just so
                left = made(self.folder / output)
                self.assertIn(left, ({}, made(self.folder / ("whole-" + output))), words[0])
                self.assertTrue(left or words[0] == "import" or not (self.folder / output).exists())

    def test_a_query_that_nobody_may_interrupt_goes_on(self):
        words = f'trap "" HUP; "{RINGSIDE}" query run.ringside "SELECT 1 AS one" & wait $!'
        query = subprocess.Popen(["sh", "-c", words], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True)
        self.assertIn("one", query.communicate(timeout=20)[0])

    def on_terminal(self, *words, **environment):
        """What a terminal is sent."""
        leader, terminal = pty.openpty()
        self.environment.pop("NO_COLOR", None)
        self.environment.update(environment)
        self.ringside(*words, stdout=terminal, stderr=terminal)
        os.close(terminal)
        text = b""
        try:
            while piece := os.read(leader, 65536):
                text += piece
        except OSError:
            pass  # the last writer has gone
        os.close(leader)
        return text

    def test_colours_are_for_terminals_that_show_them(self):
        self.assertIn(b"\x1b[1m", self.on_terminal("report", "run.ringside", TERM="xterm"))
        for environment in ({"TERM": "dumb"}, {"TERM": ""}, {"TERM": "xterm", "NO_COLOR": "1"}):
            self.assertNotIn(b"\x1b", self.on_terminal("report", "run.ringside", **environment), environment)

    def test_colours_are_as_the_command_line_says(self):
        self.assertNotIn(b"\x1b[1m", self.on_terminal("report", "run.ringside", "--color", "never", TERM="xterm"))
        self.environment["NO_COLOR"] = "1"
        self.assertIn("\x1b[1m", self.ringside("report", "run.ringside", "--color", "always").stdout)
        self.assertNotIn("\x1b", self.ringside("report", "run.ringside", "--color", "auto").stdout)
        self.assertIn(b"\x1b[1m", self.on_terminal("report", "run.ringside", "--color", "auto", TERM="xterm"))

    def test_prose_is_as_wide_as_it_may_be(self):
        def longest(columns):
            self.environment["COLUMNS"] = columns
            text = self.ringside("report", "run.ringside").stdout
            return max(map(len, text.partition("What this rests on")[2].splitlines()))  # no tables

        self.assertLessEqual(longest("60"), 60)
        self.assertLessEqual(longest("40"), 40)
        self.assertTrue(80 < longest("1000") <= 100)
        for nothing in ("", "0", "-5", "wide", "9" * 40):
            self.assertTrue(60 < longest(nothing) <= 80, nothing)

    def test_prose_of_other_commands_is_as_wide(self):
        prose = {("rules",): re.compile("    [A-Z]"), ("diff", "run.ringside", "run.ringside"): re.compile("[A-Z]"),
                 ("doctor",): re.compile("    [A-Z]")}
        for words, begin in prose.items():
            widest = {}
            for columns in ("50", "90"):
                self.environment["COLUMNS"] = columns
                lines = self.ringside(*words).stdout.splitlines()
                widest[columns] = max(len(line) for line in lines if begin.match(line) and "--set" not in line)
            self.assertLessEqual(widest["50"], 50, words)
            self.assertTrue(50 < widest["90"] <= 90, (words, widest))

    def test_progress_on_a_terminal_has_the_time_that_is_left(self):
        """The reader is stopped for a while at its first line: before a second has passed, nobody can tell."""
        event = b'{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1,"dur":1,"args":{"device":0,"stream":7}},' * 10_000
        big = self.folder / "big.json.gz"
        with gzip.open(big, "wb", compresslevel=1) as file:
            file.write(b'{"traceEvents":[')
            for _ in range(150):
                file.write(event)
            file.write(b'{}]}')
        child, terminal = pty.fork()
        if child == 0:
            os.environ["TERM"] = "xterm"
            os.execv(RINGSIDE, ["ringside", "report", str(big)])
        self.addCleanup(os.close, terminal)
        heard, stopped = b"", False
        try:
            while chunk := os.read(terminal, 65536):
                heard += chunk
                if b"reading," in heard and not stopped:
                    stopped = True
                    os.kill(child, signal.SIGSTOP)
                    time.sleep(1.2)
                    os.kill(child, signal.SIGCONT)
        except OSError:  # the terminal of a program that ended
            pass
        os.waitpid(child, 0)
        self.assertRegex(heard.decode(errors="replace"), r"ringside: reading, \d+ of \d+ MB, \d+ s left")


if __name__ == "__main__":
    unittest.main(verbosity=2)
