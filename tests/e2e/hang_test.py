# SPDX-License-Identifier: Apache-2.0
"""Jobs that hang or die, looked at while they do and afterwards: `ringside hang` names the collective, the rank that the
others wait for, and what that one does instead. Waiting is for things to happen, never for a time."""

import json
import os
import re
import signal
import stat
import subprocess

import jsonschema

import lab

SCHEMA = json.loads((lab.ROOT / "analyzer" / "hang" / "ringside-hang-1.schema.json").read_text())
TIMEOUT = "2s"  # of the watchdog: far longer than any step, far shorter than the tests' patience
PY_SPY = """#!/bin/sh
echo "Process $4: python train.py"
echo 'Thread '$4' (idle): "MainThread"'
echo '    wait_for_batch (data.py:42)'
echo '    train (train.py:7)'
"""


class Hang(lab.Scenario):
    def start(self, name, *faults, environment=None):
        """A recorded job that would train for ever, and its run directory. Ended with all its processes by the test."""
        directory = self.folder / f"{name}.ringside"
        command = [lab.RINGSIDE, "record", "-o", directory, "--profile", "standard", "--hang-timeout", TIMEOUT, "--",
                   *lab.trainer_command(100000, faults, extra=("--timeout", 3600))]
        job = subprocess.Popen([str(word) for word in command], env={**lab.emulated_gpu(), **(environment or {})},
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(self.end, job)
        return job, directory

    def end(self, job):
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
        job.communicate(timeout=lab.WAIT_S)

    def hang(self, directory, *options):
        report = json.loads(lab.run([lab.RINGSIDE, "hang", directory, "--format", "json", *options]).stdout)
        jsonschema.validate(report, SCHEMA)
        return report

    def verdict(self, directory, kind):
        """The report, once it is of that kind."""
        def look():
            if len(list(directory.glob("*.db"))) < lab.RANKS:
                return None
            try:
                report = self.hang(directory)
            except AssertionError:
                return None  # the first moments of a trace
            return report if report["verdict"]["kind"] == kind else None
        return self.until(f"verdict {kind}", look)

    @staticmethod
    def written_verdict(directory):
        """What `ringside record` wrote of the hang; None: nothing yet."""
        for file in directory.glob("*.verdict.json"):
            try:
                report = json.loads(file.read_text())
            except json.JSONDecodeError:
                return None  # it is being written
            jsonschema.validate(report, SCHEMA)
            return report["verdict"]
        return None

    def check_missing(self, report, rank):
        stuck = report["collectives"][0]
        self.assertEqual(stuck["missing"], [rank], report["verdict"])
        self.assertEqual(sorted(each["rank"] for each in stuck["arrived"]), [r for r in range(lab.RANKS) if r != rank])
        self.assertEqual(stuck["call"]["function"], "ncclAllReduce")
        self.assertEqual(stuck["call"]["bytes"], 4 * stuck["call"]["count"])
        self.assertEqual(stuck["communicator"]["size"], lab.RANKS)
        self.assertIn(f"rank {rank}", report["verdict"]["summary"])
        return stuck

    def ranks_of(self, job):
        """{rank: pid}, once all ranks run."""
        def look():
            ranks = lab.rank_processes(job)
            return ranks if len(ranks) == lab.RANKS else None
        return self.until("all ranks", look)

    def test_a_rank_without_data_is_named_with_its_stack_alive_and_dead(self):
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        spy = tools / "py-spy"
        spy.write_text(PY_SPY)
        spy.chmod(spy.stat().st_mode | stat.S_IXUSR)
        rank, step = self.draw.randrange(lab.RANKS), self.draw.randrange(10, 30)
        job, directory = self.start("stuck_loader", f"stuck_loader:rank={rank},step={step}",
                                    environment={"PATH": f"{tools}:{os.environ['PATH']}"})
        alive = self.verdict(directory, "missing")
        order = self.check_missing(alive, rank)["order"]
        culprit = alive["ranks"][rank]
        self.assertEqual(culprit["state"], "running")
        self.assertEqual(culprit["last_step"], step - 1)
        self.assertTrue(all(thread["in"] is None for thread in culprit["threads"]), culprit)
        self.until("stacks of all ranks", lambda: len(list(directory.glob("*.stacks"))) == lab.RANKS)
        self.assertEqual(self.hang(directory)["ranks"][rank]["stack"],
                         ["wait_for_batch (data.py:42)", "train (train.py:7)"])
        native = "\n".join(path.read_text() for path in directory.glob(f"*-{culprit['pid']}.stacks"))
        self.assertIn("waitForStorage", native, "the thread that waits for storage is not among the native stacks")
        written = self.until("the verdict that record writes by itself", lambda: self.written_verdict(directory))
        self.assertEqual(written["origins"][0]["ranks"], [rank], written)
        text = lab.run([lab.RINGSIDE, "hang", directory]).stdout
        self.assertRegex(text.splitlines()[0], f"ncclAllReduce #{order} .* waits for rank {rank}, which has not issued it")
        self.assertEqual(lab.run([lab.RINGSIDE, "hang", directory, "--fail"], expect=1).returncode, 1)
        self.end(job)  # recorder included: the rings are where the ranks left them
        for way in ("rings left behind", "recovered"):
            if way == "recovered":
                lab.run([lab.RINGSIDE, "recover", directory])
            dead = self.hang(directory)
            self.assertEqual(self.check_missing(dead, rank)["order"], order, way)
            self.assertEqual({each["state"] for each in dead["ranks"]}, {"gone"}, way)
        merged = self.folder / "merged.ringside"
        lab.run([lab.RINGSIDE, "merge", directory, "-o", merged])
        report = self.hang(merged)
        self.assertEqual(self.check_missing(report, rank)["order"], order)
        self.assertEqual(report["ranks"][rank]["stack"], ["wait_for_batch (data.py:42)", "train (train.py:7)"])

    def count_hangs(self, directory, condition):
        sql = f"SELECT count(*) AS n FROM hang WHERE {condition}"
        return json.loads(lab.run([lab.RINGSIDE, "query", directory, sql, "--format", "json"]).stdout)[0]["n"]

    def stopped(self, directory, rank):
        """The report, once it says that this rank is stopped. Where all were as far ahead of their GPUs as they may be, it is not
        missing: all issued the same, and do not go on."""
        def look():
            report = self.hang(directory)
            return report if re.search(rf"rank {rank}\b.* is stopped by", report["verdict"]["summary"]) else None
        return self.until(f"a verdict that names rank {rank}", look)

    def check_stopped(self, report, rank):
        self.assertIn(report["verdict"]["kind"], ("missing", "waiting"))
        if report["verdict"]["kind"] == "missing":
            self.check_missing(report, rank)
        self.assertIn("is stopped by a signal or a debugger", report["verdict"]["summary"])
        self.assertEqual(report["ranks"][rank]["state"], "stopped")

    def test_a_stopped_rank_is_named_and_the_job_goes_on_with_it(self):
        job, directory = self.start("stopped")
        ranks = self.ranks_of(job)
        self.until("steps of all ranks", lambda: all(
            (each["last_step"] or 0) > 0 for each in self.verdict(directory, "nothing")["ranks"]))
        moments = 3
        for moment in range(moments):
            rank = self.draw.randrange(lab.RANKS)
            os.kill(ranks[rank], signal.SIGSTOP)
            self.check_stopped(self.stopped(directory, rank), rank)
            self.until("a hang in the trace", lambda: self.count_hangs(directory, "noticed_ns > 0") > moment)
            os.kill(ranks[rank], signal.SIGCONT)
            self.verdict(directory, "nothing")
            self.assertIsNone(job.poll(), "the job ended")
        self.until("the end of a hang in the trace", lambda: self.count_hangs(directory, "ended_ns > noticed_ns"))

    def test_a_rank_that_calls_something_else_is_named(self):
        for kind, said in (("function", "ncclBroadcast"), ("count", "another count")):
            rank, reduction = self.draw.randrange(lab.RANKS), self.draw.randrange(20, 60)
            job, directory = self.start(f"mismatch_{kind}", f"mismatch:rank={rank},reduction={reduction},by={kind}")
            self.assertNotEqual(job.wait(timeout=lab.WAIT_S), 0)
            report = self.hang(directory)
            self.assertEqual(report["verdict"]["kind"], "mismatch", report["verdict"])
            stuck = report["collectives"][0]
            self.assertEqual(stuck["different"], [rank])
            self.assertEqual(stuck["order"], reduction + 1)  # the parameters' broadcast comes first
            self.assertIn(said, report["verdict"]["summary"])
            self.assertIn(f"rank {rank}", report["verdict"]["summary"])

    def test_a_killed_rank_is_told_from_ranks_that_live(self):
        job, directory = self.start("killed")
        ranks = self.ranks_of(job)
        self.verdict(directory, "nothing")
        os.kill(ranks[self.draw.randrange(lab.RANKS)], signal.SIGKILL)
        self.assertNotEqual(job.wait(timeout=lab.WAIT_S), 0)
        report = self.hang(directory)
        self.assertEqual(report["verdict"]["kind"], "died", report["verdict"])
        self.assertIn("ended without closing", report["verdict"]["summary"])


if __name__ == "__main__":
    lab.main()
