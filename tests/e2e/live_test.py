# SPDX-License-Identifier: Apache-2.0
"""Running jobs as those who watch them see them: snapshots, `ringside top` on a terminal and as JSON, alarms and metrics. Waiting is
for things to happen, never for a time."""

import json
import os
import shutil
import signal
import subprocess
import unittest

import jsonschema

import lab

SCHEMAS = lab.ROOT / "analyzer" / "live"
# A rank that is late for longer than a step takes otherwise: far above 10 %, whatever else the machine does.
LATE = "late_rank:rank=1,ms=60"


def schema(name):
    return json.loads((SCHEMAS / f"ringside-{name}-1.schema.json").read_text())


class Live(lab.Scenario):
    def start(self, name, *faults, options=(), steps=100000):
        directory = self.folder / f"{name}.ringside"
        command = [lab.RINGSIDE, "record", "-o", directory, "--profile", "standard", *options, "--",
                   *lab.trainer_command(steps, faults, ranks=2, extra=("--timeout", 3600))]
        job = subprocess.Popen([str(word) for word in command], env=lab.emulated_gpu(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, start_new_session=True)
        self.addCleanup(self.end, job)
        return job, directory

    def end(self, job):
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
        job.communicate(timeout=lab.WAIT_S)

    def top(self, directory):
        done = lab.run([lab.RINGSIDE, "top", directory, "--json"], expect=None)
        if done.returncode != 0:
            return None
        view = json.loads(done.stdout)
        jsonschema.validate(view, schema("top"))
        return view

    def test_a_late_rank_is_named_while_it_runs(self):
        metrics = self.folder / "metrics"
        metrics.mkdir()
        told = self.folder / "told"
        job, directory = self.start("late", LATE, options=("--metrics", metrics, "--on-alarm", f"cat >> {told}"))

        def late():
            view = self.top(directory)
            return view if view and view["lateness_by"] == "device" and "rank 1" in view["verdict"] else None
        view = self.until("the late rank", late)
        self.assertEqual([rank["rank"] for rank in view["ranks"]], [1, 0])
        self.assertTrue(view["emulated"])
        self.assertGreater(view["steps_per_s"], 0)
        snapshot = next(directory.glob("*.live.json"))
        jsonschema.validate(json.loads(snapshot.read_text()), schema("live"))
        self.assertEqual(snapshot.stat().st_mode & 0o077, 0)

        def alarms():
            lines = told.read_text().splitlines() if told.exists() else []
            return [alarm for alarm in map(json.loads, lines) if alarm["kind"] == "straggler"]
        alarm = self.until("the alarm", alarms)[0]
        jsonschema.validate(alarm, schema("alarm"))
        self.assertEqual((alarm["rank"], alarm["state"]), (1, "began"))
        self.assertIn('"straggler"', (directory / "alarms.jsonl").read_text())
        file = self.until("metrics", lambda: list(metrics.glob("*.prom")))[0]
        self.assertIn('ringside_rank_late_seconds{run="late.ringside",rank="1"}', file.read_text())
        self.assertEqual(file.stat().st_mode & 0o022, 0, "nobody else writes it")
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "metrics"], input=file.read_text(), capture_output=True, text=True, check=False)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        os.kill(job.pid, signal.SIGTERM)
        _, talk = job.communicate(timeout=lab.WAIT_S)
        self.assertIn("ringside: alarm: rank 1 holds the others up by", talk)
        alarms = [each for each in lab.report(directory)["alarms"] if each["kind"] == "straggler"]
        self.assertEqual(alarms[0]["rank"], 1)
        self.assertGreater(alarms[0]["began_ns"], 0)

    def test_a_rank_that_slows_long_after_the_recorded_steps_is_named_within_ten_steps(self):
        """The default profile records what runs on GPUs for 60 steps. From then on NCCL times its own kernels."""
        slows_at = 500
        small = ("--hidden", 128, "--layers", 6, "--bucket-cap-mb", 1.5)  # so that 500 steps take half a minute
        told = self.folder / "told_later"
        told.unlink(missing_ok=True)
        directory = self.folder / "later.ringside"
        lab.run([lab.RINGSIDE, "record", "-o", directory, "--on-alarm", f"cat >> {told}", "--",
                 *lab.trainer_command(slows_at + 120, [f"{LATE},after={slows_at}"], ranks=2, shape=small)],
                environment=lab.emulated_gpu())
        stragglers = [alarm for alarm in map(json.loads, told.read_text().splitlines()) if alarm["kind"] == "straggler"]
        self.assertEqual([(alarm["rank"], alarm["state"]) for alarm in stragglers], [(1, "began")])
        self.assertIn(stragglers[0]["step"] - slows_at, range(11))
        measured = lab.run([lab.RINGSIDE, "query", directory, "--format", "json",
                            "SELECT min(n) AS least FROM (SELECT count(nccl_ns) AS n FROM step_summary WHERE compute_ns IS NULL "
                            "GROUP BY process_id)"]).stdout
        self.assertGreater(json.loads(measured)[0]["least"], 500, "every later step has it, on every rank")

    def test_a_rank_whose_data_stop_is_waited_for(self):
        _, directory = self.start("stuck", "stuck_loader:rank=1,step=30")

        def hangs():
            view = self.top(directory)
            return view if view and any(alarm["kind"] == "hang" for alarm in view["alarms"]) else None
        view = self.until("the hang", hangs)
        self.assertEqual([(wait["waiting"], wait["missing"]) for wait in view["waits"]], [([0], [1])])

    def test_a_clean_end_leaves_no_snapshot(self):
        job, directory = self.start("short", steps=40)
        self.until("a snapshot", lambda: list(directory.glob("*.live.json")) or job.poll() is not None)
        _, talk = job.communicate(timeout=lab.WAIT_S)
        self.assertEqual(job.returncode, 0, talk)
        self.assertEqual([file.name for file in directory.iterdir() if ".live" in file.name or file.name.endswith(".lock")], [])
        done = lab.run([lab.RINGSIDE, "top", directory, "--once"], expect=3)
        self.assertIn("ringside report", done.stderr)
        summaries = lab.run([lab.RINGSIDE, "query", directory, "SELECT process_id, count(*), count(compute_ns) FROM step_summary GROUP BY 1"]).stdout
        self.assertRegex(summaries, r"40\D+3[89]\D")  # of the first, and perhaps the last, it is not known whether they were seen as a whole

    def test_without_a_run_the_jobs_of_the_machine_are_found(self):
        first, second = (self.start(name)[1] for name in ("first", "second"))
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.until("both jobs", lambda: all(len((self.top(run) or {"ranks": []})["ranks"]) == 2 for run in (first, second)))
        done = lab.run([lab.RINGSIDE, "top"], cwd=elsewhere)
        self.assertIn(f"{first}: 2 ranks", done.stdout)
        self.assertIn(f"{second}: 2 ranks", done.stdout)
        done = lab.run([lab.RINGSIDE, "top", "--json"], cwd=elsewhere, expect=2)
        self.assertIn("`ringside top` lists them", done.stderr)

    @unittest.skipUnless(shutil.which("tmux"), "needs tmux")
    def test_the_screen_of_a_terminal_of_80_by_24(self):
        _, directory = self.start("screen", LATE)
        self.until("the first figures", lambda: (self.top(directory) or {}).get("steps_per_s"))
        socket = self.folder / "tmux"

        def tmux(*words):
            return subprocess.run(["tmux", "-S", str(socket), *map(str, words)], capture_output=True, text=True, check=True,
                                  env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}).stdout
        tmux("new-session", "-d", "-x", 80, "-y", 24, f"{lab.RINGSIDE} top {directory}; echo ended with $?; sleep 1000")
        self.addCleanup(lambda: subprocess.run(["tmux", "-S", str(socket), "kill-server"], check=False))
        screen = self.until("the screen", lambda: (text := tmux("capture-pane", "-p")) and "q quit" in text and text)
        lines = screen.splitlines()
        self.assertRegex(lines[0], r"screen.ringside: 2 ranks on \S+ \[emulated\]")
        self.assertLessEqual(max(map(len, lines)), 80)
        tmux("send-keys", "?")
        self.until("the help", lambda: "pins rank 7" in tmux("capture-pane", "-p"))
        tmux("send-keys", "x", "e")
        self.until("the explanation", lambda: "Who comes last to a collective waits least" in tmux("capture-pane", "-p"))
        tmux("send-keys", "x", "f", "0", "Enter")
        self.until("one rank", lambda: "1 rank not shown" in tmux("capture-pane", "-p"))
        tmux("send-keys", "p")
        self.until("the pause", lambda: "Paused" in tmux("capture-pane", "-p"))
        tmux("resize-window", "-x", 40, "-y", 10)
        self.until("the narrow screen", lambda: len(tmux("capture-pane", "-p").splitlines()[0]) <= 40)
        tmux("send-keys", "q")
        self.until("the end", lambda: "ended with 0" in tmux("capture-pane", "-p"))


if __name__ == "__main__":
    lab.main()
