# SPDX-License-Identifier: Apache-2.0
"""A job hangs, and PyTorch's watchdog writes the dumps of its flight recorder, as the test does here in its format: `ringside
record` brings them into the run, and `ringside hang` shows them beside the recording and says where the two contradict."""

import contextlib
import json
import os
import pathlib
import pickle
import signal
import subprocess

import jsonschema

import lab
from flight_dumps import flight_dump, flight_entry

SCHEMA = json.loads((lab.ROOT / "analyzer" / "hang" / "ringside-hang-1.schema.json").read_text())


class FlightDumps(lab.Scenario):
    def setUp(self):
        self.work = self.folder / self._testMethodName
        self.work.mkdir()
        self.run = self.work / "run.ringside"
        self.prefix = self.work / "torch_dump_"
        self.stuck = self.draw.randrange(lab.RANKS)

    def start(self, variable="TORCH_NCCL_DEBUG_INFO_TEMP_FILE"):
        """A job in which one rank gets no more data, once its recording says so. Its launcher sets the variable."""
        command = [lab.RINGSIDE, "record", "-o", self.run, "--hang-timeout", "2s", "--", "env", f"{variable}={self.prefix}",
                   *lab.trainer_command(100000, [f"stuck_loader:rank={self.stuck},step=10"], extra=("--timeout", 3600))]
        job = subprocess.Popen([str(word) for word in command], env=lab.emulated_gpu(), stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(self.kill, job)
        self.until("a verdict", self.verdict_is_missing)
        return job

    def verdict_is_missing(self):
        done = lab.run([lab.RINGSIDE, "hang", self.run, "--format", "json"], expect=None)
        return done.returncode == 0 and json.loads(done.stdout)["verdict"]["kind"] == "missing"

    def kill(self, job):
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
        job.communicate(timeout=lab.WAIT_S)

    def write(self, missing, ranks=range(lab.RANKS)):
        for rank in ranks:
            waiting = [] if rank == missing else [flight_entry(12, "started")]
            dump = flight_dump(range(1, 12), waiting, lab.RANKS)
            pathlib.Path(f"{self.prefix}{rank}").write_bytes(pickle.dumps(dump, protocol=2))

    def witness(self):
        report = json.loads(lab.run([lab.RINGSIDE, "hang", self.run, "--format", "json"]).stdout)
        jsonschema.validate(report, SCHEMA)
        return [each for each in report["witnesses"] if each["source"] == "flight_recorder"]

    def copies(self):
        folder = self.run / "flight_recorder"
        return sorted(file.name for file in folder.iterdir()) if folder.is_dir() else []

    def expected(self, ranks=range(lab.RANKS)):
        return [f"{os.uname().nodename}_rank_{rank}" for rank in ranks]

    def test_dumps_of_a_job_that_hangs_are_copied_and_agree(self):
        job = self.start()
        self.assertEqual(self.witness(), [])
        self.write(self.stuck)
        self.until("copies of all dumps", lambda: self.copies() == self.expected())
        witness, = self.witness()
        self.assertEqual((witness["source"], witness["agreement"]), ("flight_recorder", "agrees"), witness)
        self.assertEqual((witness["blamed"], witness["ranks"]), ([self.stuck], list(range(lab.RANKS))))
        text = lab.run([lab.RINGSIDE, "hang", self.run]).stdout
        self.assertIn(f"It agrees with this recording: rank {self.stuck} is missing.", text)
        self.assertIn(f"not by rank {self.stuck}", text)
        self.assertEqual(len(witness["details"]), 1, witness)
        self.assertIsNone(job.poll(), "the job ended")
        job.send_signal(signal.SIGTERM)
        talk = job.communicate(timeout=lab.WAIT_S)[1]
        self.assertEqual(talk.count("PyTorch's flight recorder wrote what ranks 0 to 3 did last"), 1, talk)
        dumps = f"{lab.RANKS} dumps of PyTorch's flight recorder"
        self.assertIn(f"{self.run} holds {dumps} about this job", lab.run([lab.RINGSIDE, "report", self.run]).stderr)
        merged = lab.run([lab.RINGSIDE, "merge", self.run, "-o", self.work / "run.db"]).stderr
        self.assertIn(f"not merged, because the file holds traces only: {dumps} in {self.run}.", merged)

    def test_a_contradiction_is_said(self):
        job = self.start("TORCH_FR_DUMP_TEMP_FILE")
        other = (self.stuck + 1) % lab.RANKS
        self.write(other)
        job.send_signal(signal.SIGTERM)  # they are copied at the end, too
        job.communicate(timeout=lab.WAIT_S)
        self.assertEqual(self.copies(), self.expected())
        witness, = self.witness()
        self.assertEqual((witness["agreement"], witness["blamed"]), ("disagrees", [other]), witness)
        self.assertIn(f"It disagrees with this recording: it says that rank {other} is missing; this recording says that rank "
                      f"{self.stuck} is missing.", lab.run([lab.RINGSIDE, "hang", self.run]).stdout)

    def test_only_files_of_this_job_are_copied(self):
        for rank in (0, 1):
            self.write(1, [rank])
        job = self.start()  # what was there before belongs to an earlier job
        others = [rank for rank in range(2, lab.RANKS)]
        self.write(self.stuck, others[:1])
        secret = self.work / "secret"
        secret.write_bytes((self.work / f"torch_dump_{others[0]}").read_bytes())
        (self.work / f"torch_dump_{others[1]}").symlink_to(secret)
        self.write(self.stuck, [lab.RANKS])  # a rank that the job does not have
        (self.work / "torch_dump_0").write_text("no dump")
        os.remove(self.work / "torch_dump_1")
        os.mkfifo(self.work / "torch_dump_1")
        self.kill_ranks_and_wait(job)
        self.assertEqual(self.copies(), self.expected(others[:1]))
        witness, = self.witness()
        self.assertEqual(witness["ranks_without"], [rank for rank in range(lab.RANKS) if rank != others[0]], witness)

    def kill_ranks_and_wait(self, job):
        for pid in lab.rank_processes(job).values():
            with contextlib.suppress(ProcessLookupError):  # it ended with the first one
                os.kill(pid, signal.SIGKILL)
        job.communicate(timeout=lab.WAIT_S)


if __name__ == "__main__":
    lab.main()
