# SPDX-License-Identifier: Apache-2.0
"""The flight recorder: the run directory stays empty until a dump is requested or a rank ends. It then contains the last seconds of
every rank, and the report states from when on they are complete."""

import os
import re
import signal
import subprocess
import sys
import time

import lab
from kill_test import ranks_of

RANKS = 2
UNTIL_STOPPED = """
import os, ringside, sys, time
ringside.set_rank(0, 1)
while not os.path.exists(sys.argv[1]):
    with ringside.step(1):
        time.sleep(0.01)
"""


class FlightRecorder(lab.Scenario):
    def test_a_dump_and_a_death_leave_the_last_seconds_of_every_rank(self):
        directory = self.folder / "flight.ringside"
        recorder = subprocess.Popen([str(word) for word in (lab.RINGSIDE, "record", "-o", directory, "--keep-last", "2s",
                                                            "--profile", "standard", "--",
                                                            *lab.trainer_command(100000, ranks=RANKS, extra=("--timeout", 10)))],
                                    env=lab.emulated_gpu(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            self.wait_for(lambda: len(list(directory.glob("*.rings"))) == RANKS)
            time.sleep(5)  # longer than it keeps
            self.assertEqual(list(directory.glob("*.db")), [], "it writes before it is asked")
            told = lab.run([lab.RINGSIDE, "record", "--attach-control", directory, "dump"]).stdout
            self.assertEqual(len(re.findall(r"\.db$", told, re.M)), RANKS, told)
            self.check(directory)
            dumps = {file: file.stat().st_mtime_ns for file in directory.glob("*.db")}
            time.sleep(3)
            os.kill(self.draw.choice(ranks_of(recorder.pid)), signal.SIGKILL)
            talk = recorder.communicate(timeout=lab.TIMEOUT_S)[1]
        finally:
            recorder.kill()
        self.assertRegex(talk, "records recovered")
        newer = [file for file, time_ns in dumps.items() if file.stat().st_mtime_ns > time_ns]
        self.assertTrue(newer, "the dead rank's recording did not take its dump's place")
        self.check(directory)

    def test_a_job_that_ends_well_leaves_nothing_and_is_told_so(self):
        directory = self.folder / "clean.ringside"
        done = lab.run([lab.RINGSIDE, "record", "-o", directory, "--keep-last", "60s", "--",
                        *lab.trainer_command(10, ranks=RANKS)], environment=lab.emulated_gpu())
        self.assertIn("wrote nothing", done.stderr)
        self.assertEqual(list(directory.iterdir()), [])

    def test_a_dump_of_a_job_that_ends_well_later_is_no_hang(self):
        directory, stop = self.folder / "dumped.ringside", self.folder / "stop"
        stop.unlink(missing_ok=True)
        recorder = subprocess.Popen([str(word) for word in (lab.RINGSIDE, "record", "-o", directory, "--keep-last", "60s", "--",
                                                            sys.executable, "-B", "-c", UNTIL_STOPPED, stop)],
                                    env={**os.environ, "PYTHONPATH": str(lab.ROOT / "collector" / "python")},
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            self.wait_for(lambda: list(directory.glob("*.rings")))  # it has just begun, and answers all the same
            lab.run([lab.RINGSIDE, "record", "--attach-control", directory, "dump"])
            stop.touch()
            talk = recorder.communicate(timeout=lab.TIMEOUT_S)[1]
        finally:
            recorder.kill()
        self.assertEqual(recorder.returncode, 0, talk)
        self.assertIn("all ranks ended normally", lab.run([lab.RINGSIDE, "hang", directory, "--fail"]).stdout)
        self.assertTrue([each for each in lab.report(directory)["issues"] if each["id"] == "ended_after_dump"])

    def test_a_process_that_comes_after_a_dump_was_asked_for_is_not_waited_for(self):
        directory = self.folder / "late.ringside"
        directory.mkdir()
        (directory / "elsewhere-1.rings").write_text("/on/another/host\n")  # whether it lives cannot be told from here
        asker = subprocess.Popen([lab.RINGSIDE, "record", "--attach-control", directory, "dump"], stdout=subprocess.PIPE, text=True)
        try:
            self.wait_for((directory / "control").exists)
            (directory / "elsewhere-2.rings").write_text("/on/another/host\n")
            number = re.search(r"^number (\d+)$", (directory / "control").read_text(), re.M)[1]
            said = {"number": number, "steps": 0, "step_ns": 0, "level": "light", "in_force": 0, "since_step": 0, "dump": "elsewhere-1.db"}
            answer = directory / "answer"
            answer.write_text("ringside-status 1\n" + "".join(f"{key} {value}\n" for key, value in said.items()) + "end\n")
            answer.rename(directory / "elsewhere-1.status")
            told = asker.communicate(timeout=lab.TIMEOUT_S)[0]
        finally:
            asker.kill()
        self.assertEqual((told, asker.returncode), ("elsewhere-1: elsewhere-1.db\n", 0))

    def check(self, directory):
        """Both ranks are there, and no older steps than it claims."""
        result = lab.report(directory)
        self.assertEqual(result["run"]["ranks_present"], list(range(RANKS)))
        self.assertGreater(result["coverage"]["steps"]["total"], 3)
        messages = [each["message"] for each in result["issues"] if each["id"] == "oldest_deleted"]
        self.assertTrue(messages, result["issues"])
        self.assertRegex(messages[0], r"from \d+\.\d s after the start on")

    def wait_for(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, "the job did not get going")
            time.sleep(0.05)


if __name__ == "__main__":
    lab.main()
