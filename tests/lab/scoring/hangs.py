# SPDX-License-Identifier: Apache-2.0
"""Jobs that hang or end unexpectedly: `ringside hang` must explain it and name the rank."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import time

import lab
from scoring import training

LIMIT_S = 60
TIMEOUT = "2s"  # of the watchdog: far longer than any step


@dataclasses.dataclass(frozen=True)
class Hang:
    name: str
    verdict: str             # `ringside hang`'s, and "nothing" for a job that is well
    faults: tuple = ()
    signal: int = 0          # sent to the rank once it trains
    rank: int | None = None  # the one to name
    ranks: int = 4

    def missing(self):
        return None

    def judge(self, score):
        directory = training.FOLDER / f"{self.name}.ringside"
        job = subprocess.Popen([str(word) for word in (
            lab.RINGSIDE, "record", "-o", directory, "--profile", "standard", "--hang-timeout", TIMEOUT, "--",
            *lab.trainer_command(100000, self.faults, self.ranks, extra=("--timeout", 3600)))],
            env=lab.emulated_gpu(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            report = self.looked_at(job, directory)
        finally:
            if job.poll() is None:
                os.killpg(job.pid, signal.SIGKILL)
            job.wait()
        self.compare(report, score)
        shutil.rmtree(directory)

    def looked_at(self, job, directory):
        """The report once it is the expected one, or the last before patience or the job ended."""
        if self.signal:
            until(lambda: trains(hang(directory), self.ranks))
            os.kill(lab.rank_processes(job)[self.rank], self.signal)
        if self.verdict == "nothing":
            return until(lambda: trains(hang(directory), self.ranks))
        if self.verdict == "died":  # while ranks are dying, nobody knows of all
            until(lambda: job.poll() is not None)
            return hang(directory)
        return until(lambda: expected(hang(directory), self.verdict), lambda: job.poll() is not None) or hang(directory)

    def compare(self, report, score):
        said = report["verdict"] if report else {"kind": "no report", "summary": ""}
        score.expect(f"hang: {self.verdict}", said["kind"] == self.verdict, f"{self.name}: the verdict is {said}")
        if self.rank is not None and said["kind"] == self.verdict:
            score.place(named(report) == [self.rank], f"{self.name}: {named(report)} named, not rank {self.rank}: {said['summary']}")


def named(report):
    verdict = report["verdict"]
    if verdict["kind"] == "died":
        return [verdict["died_first"]]
    return report["collectives"][0]["missing" if verdict["kind"] == "missing" else "different"]


def hang(directory):
    """Null in the first moments of a trace."""
    done = lab.run([lab.RINGSIDE, "hang", directory, "--format", "json"], expect=None)
    return json.loads(done.stdout) if done.returncode == 0 else None


def expected(report, verdict):
    return report if report and report["verdict"]["kind"] == verdict else None


def trains(report, ranks):
    steps = [each["last_step"] or 0 for each in report["ranks"]] if report else []
    return report if len(steps) == ranks and min(steps) > 0 else None


def until(look, given_up=lambda: False):
    """What `look` finds; null when it does not within LIMIT_S, or there is nothing more to come."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        last = given_up()
        found = look()
        if found or last:
            return found
        time.sleep(0.2)
    return None
