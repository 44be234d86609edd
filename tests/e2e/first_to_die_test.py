# SPDX-License-Identifier: Apache-2.0
"""A rank is killed at a random moment, and the job ends because of it. The rank that ended first is known from `ringside record`: in the
run, in a merged file, and in the report. On a busy machine, the other ranks may end before the killed one is gone. The first is then
unknown, and no other rank is named."""

import json
import os
import signal
import subprocess
import sys
import time

import lab

RAISES = """
import os, time
import ringside
for number in range(40):
    with ringside.step(number):
        time.sleep(0.005)
    if number == 20 and os.environ["RANK"] in os.environ["FAILING"]:
        raise RuntimeError("a loss that is no number")
"""
KILLS = int(os.environ.get("RINGSIDE_TEST_DEATHS", 4))


class FirstToDie(lab.Scenario):
    def hang(self, path):
        return json.loads(lab.run([lab.RINGSIDE, "hang", path, "--format", "json"]).stdout)

    def start(self, directory):
        """A recorded job that would train for ever, ended with all its processes by the test."""
        job = subprocess.Popen([str(word) for word in (lab.RINGSIDE, "record", "-o", directory, "--",
                                                       *lab.trainer_command(100000, extra=("--timeout", 60)))],
                               env=lab.emulated_gpu(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(self.end, job)
        return job

    def end(self, job):
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
        job.wait(timeout=lab.TIMEOUT_S)

    def when_all_train(self, directory):
        deadline = time.monotonic() + lab.TIMEOUT_S
        while time.monotonic() < deadline:
            if len(list(directory.glob("*.db"))) == lab.RANKS:
                report = lab.run([lab.RINGSIDE, "hang", directory, "--format", "json"], expect=None)
                if report.returncode == 0 and all(each["last_step"] for each in json.loads(report.stdout)["ranks"]):
                    return
            time.sleep(0.1)
        self.fail("the ranks do not train")

    def kill_one(self, index):
        directory, rank = self.folder / f"killed_{index}.ringside", self.draw.randrange(lab.RANKS)
        job = self.start(directory)
        self.when_all_train(directory)
        time.sleep(self.draw.uniform(0, 1))
        os.kill(lab.rank_processes(job)[rank], signal.SIGKILL)
        job.wait(timeout=lab.TIMEOUT_S)
        merged = self.folder / f"merged_{index}.ringside"
        lab.run([lab.RINGSIDE, "merge", directory, "-o", merged])
        for path in (directory, merged):
            report = self.hang(path)
            self.assertEqual(report["verdict"]["kind"], "died", report["verdict"])
            self.assertIn(report["verdict"]["died_first"], (rank, None), report["verdict"])
            self.assertEqual([each["rank"] for each in report["ranks"] if each["wait_status"] == signal.SIGKILL], [rank], report["ranks"])
        print(f"rank {rank}: {report['verdict']['summary']}")
        first = report["verdict"]["died_first"]
        finding, = (each for each in lab.report(directory)["findings"] if each["rule"] == "rank_died")
        self.assertEqual(finding["ranks"], list(range(lab.RANKS)) if first is None else [rank])
        return first == rank

    def test_the_killed_rank_is_named(self):
        self.assertTrue(any([self.kill_one(index) for index in range(KILLS)]), "it was never known")

    def test_a_job_that_ends_well_leaves_no_such_file(self):
        directory = self.folder / "well.ringside"
        lab.record(directory, lab.trainer_command(5))
        self.assertEqual(list(directory.glob("*.gone")), [])

    def end_by_exception(self, failing):
        """Python closes the trace and ends with code 1. Returns hang's report and the report's finding of a death."""
        script, directory = self.folder / "raises.py", self.folder / f"raised_{failing}.ringside"
        script.write_text(RAISES)
        ranks = f'for rank in 0 1 2; do RANK=$rank WORLD_SIZE=3 "$0" -B "$1" & done; wait'
        lab.run([lab.RINGSIDE, "record", "-o", directory, "--", "bash", "-c", ranks, sys.executable, script],
                environment={**lab.emulated_gpu(), "PYTHONPATH": str(lab.ROOT / "collector" / "python"), "FAILING": failing})
        finding, = (each for each in lab.report(directory)["findings"] if each["rule"] == "rank_died")
        return self.hang(directory), finding

    def test_a_rank_that_raised_is_named(self):
        rank = self.draw.randrange(3)
        hang, finding = self.end_by_exception(str(rank))
        self.assertEqual([each["state"] for each in hang["ranks"]], ["failed" if each == rank else "closed" for each in range(3)])
        self.assertEqual(hang["verdict"]["died_first"], rank)
        self.assertEqual(finding["title"], f"Rank {rank} ended with code 1")
        self.assertEqual((finding["ranks"], finding["severity"]), ([rank], "problem"))

    def test_a_single_rank_that_raised_is_a_problem(self):
        script, directory = self.folder / "alone.py", self.folder / "alone.ringside"
        script.write_text(RAISES)
        lab.run([lab.RINGSIDE, "record", "-o", directory, "--", sys.executable, "-B", script], expect=1,
                environment={**lab.emulated_gpu(), "PYTHONPATH": str(lab.ROOT / "collector" / "python"), "FAILING": "0", "RANK": "0"})
        finding, = (each for each in lab.report(directory)["findings"] if each["rule"] == "rank_died")
        self.assertEqual((finding["severity"], finding["title"]), ("problem", "Rank 0 ended with code 1"))

    def test_what_all_ranks_say_at_their_end_is_no_problem(self):
        hang, finding = self.end_by_exception("012")
        self.assertEqual({each["state"] for each in hang["ranks"]}, {"failed"})
        self.assertEqual(finding["severity"], "info")
        self.assertIn("0 to 2 ended with code 1", finding["title"])


if __name__ == "__main__":
    lab.main()
