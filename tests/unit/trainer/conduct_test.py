# SPDX-License-Identifier: Apache-2.0
"""What the trainer does when something is wrong: a clear message on every rank, a code, and never a hang."""

import os
import pathlib
import signal
import socket
import time
import unittest

import trainer_process as trainer

SMALL = ("--hidden", 64, "--layers", 2, "--batch", 48, "--eval", 0)
FOREVER = (*SMALL, "--steps", 1000000)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ranks_of(launcher):
    """{rank: pid} of the ranks that a launcher has started."""
    ranks = {}
    for pid in pathlib.Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split():
        variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        for variable in variables:
            if variable.startswith(b"RANK="):
                ranks[int(variable[5:])] = int(pid)
    return ranks


def lives(pid):
    """Not when there is only an entry left that nobody has collected."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def outlives(pid, seconds):
    """Whether it is still there after a while: who ends closes files first, and is gone a moment later."""
    deadline = time.monotonic() + seconds
    while lives(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return lives(pid)


class Conduct(unittest.TestCase):
    def assert_refused(self, expected, *arguments, **variables):
        code, out, err = trainer.run(*arguments, timeout=20, **variables)
        self.assertEqual(code, 2, out + err)
        self.assertRegex(out + err, expected)

    def running(self, *arguments, ranks=3):
        """A launcher whose ranks are in the middle of training."""
        launcher = trainer.start(*FOREVER, "--nproc", ranks, *arguments)
        self.addCleanup(launcher.kill)
        self.assertIn("hidden layers", launcher.stdout.readline())
        time.sleep(1)
        self.assertEqual(len(ranks_of(launcher)), ranks)
        return launcher

    def test_bad_options_are_said_once(self):
        self.assert_refused("unknown; use one of", "--nproc", 2, "--fault", "gremlins")
        self.assert_refused("not one of its KEY=VALUE", "--fault", "late_rank:colour=red")
        self.assert_refused("outside a world of 2", "--nproc", 2, "--fault", "late_rank:rank=2")
        self.assert_refused("cannot be divided", "--nproc", 3, "--batch", 16)
        self.assert_refused("--steps", "--steps", -1)
        self.assert_refused("WORLD_SIZE", RANK=1)
        for port in ("abc", 0, 65536):
            self.assert_refused("MASTER_PORT=.* is not a number from 1 to 65535", "--nproc", 2, MASTER_PORT=port)
        for arguments, variables, expected in ((("--batch", 16), {}, "cannot be divided"),
                                               (("--batch", 15), {"MASTER_PORT": "abc"}, "MASTER_PORT")):
            _, _, err = trainer.run("--nproc", 3, *arguments, **variables)
            self.assertEqual(err.count(expected), 1, err)

    def test_local_ranks_meet_here_whatever_the_environment_says(self):
        code, out, err = trainer.run(*SMALL, "--steps", 2, "--nproc", 2, MASTER_ADDR="192.0.2.1")
        self.assertEqual(code, 0, out + err)

    def test_a_missing_rank_is_named_on_every_rank(self):
        port = free_port()
        ranks = [trainer.start(*SMALL, "--timeout", 2, RANK=rank, WORLD_SIZE=3, LOCAL_RANK=rank,
                               MASTER_ADDR="127.0.0.1", MASTER_PORT=port) for rank in (0, 1)]
        for rank in ranks:
            code, _, err = trainer.finish(rank, 10)
            self.assertEqual(code, 1)
            self.assertRegex(err, "did not connect .* within 2 s: 2;")

    def test_a_port_in_use_is_named(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            code, _, err = trainer.run(*SMALL, "--nproc", 2, "--timeout", 5, timeout=20, MASTER_PORT=other.getsockname()[1])
        self.assertEqual(code, 1)
        self.assertRegex(err, "rank 0: cannot listen on .*in use")
        self.assertRegex(err, "rank 1")

    def test_a_rank_that_is_killed_ends_the_others(self):
        for victim in (1, 0):
            with self.subTest(victim=victim):
                launcher = self.running()
                os.kill(ranks_of(launcher)[victim], signal.SIGKILL)
                code, _, err = trainer.finish(launcher, 20)
                self.assertEqual(code, 128 + signal.SIGKILL)
                self.assertRegex(err, f"rank {victim} was ended by signal 9")
                for rank in {0, 1, 2} - {victim}:
                    self.assertRegex(err, f"rank {rank}: ")

    def test_a_rank_that_stands_still_ends_the_job_within_the_timeout(self):
        launcher = self.running("--timeout", 3)
        stopped = ranks_of(launcher)[1]
        os.kill(stopped, signal.SIGSTOP)
        code, _, err = trainer.finish(launcher, 25)
        self.assertNotEqual(code, 0)
        self.assertRegex(err, "rank [02]: giving up: no progress for 3 s")
        self.assertFalse(pathlib.Path(f"/proc/{stopped}").exists(), "the stopped rank was left behind")

    def test_a_terminated_launcher_leaves_no_ranks(self):
        launcher = self.running(ranks=2)
        ranks = ranks_of(launcher)
        launcher.send_signal(signal.SIGTERM)
        code, _, err = trainer.finish(launcher, 20)
        self.assertEqual(code, 128 + signal.SIGTERM)
        self.assertEqual(err.count("signal 15"), 1, err)
        for pid in ranks.values():
            self.assertFalse(pathlib.Path(f"/proc/{pid}").exists())

    def test_a_killed_launcher_leaves_no_ranks(self):
        launcher = self.running(ranks=2)
        ranks = ranks_of(launcher)
        launcher.kill()
        launcher.communicate(timeout=20)  # the ranks hold the pipes: this returns when they let go
        for pid in ranks.values():
            self.assertFalse(outlives(pid, 10), f"rank {pid} is an orphan")

    def test_a_result_that_cannot_be_written_is_refused_before_training(self):
        for option in ("--json", "--dump-parameters"):
            for world in ((), ("--nproc", 2)):
                with self.subTest(option=option, world=world):
                    code, out, err = trainer.run(*FOREVER, *world, option, "/nowhere/at/all.json", timeout=20)
                    self.assertEqual(code, 2, out + err)
                    self.assertEqual(err.count("cannot write /nowhere/at/all.json"), 1, err)
                    self.assertNotIn("hidden layers", out)

    def test_two_results_in_one_file_are_refused(self):
        path = trainer.FOLDER / "both"
        path.unlink(missing_ok=True)
        self.assert_refused("the same file", "--json", path, "--dump-parameters", f"{trainer.FOLDER}/../{trainer.FOLDER.name}/both")
        self.assertFalse(path.exists())

    def test_a_fault_that_would_change_nothing_is_refused(self):
        self.assert_refused("there is only one part", "--nproc", 2, "--fault", "sync_every_part")

    def test_a_rank_that_dies_is_named(self):
        code, _, err = trainer.run(*SMALL, "--nproc", 2, "--steps", 50, "--fault", "dying_rank:rank=1,step=5", timeout=30)
        self.assertNotEqual(code, 0)
        self.assertRegex(err, "rank 1.*(signal 9|died|connection)")

    def test_contradicting_faults_are_refused(self):
        self.assert_refused("small_buckets is given twice", "--fault", "small_buckets", "--fault", "small_buckets:mb=2")
        self.assert_refused("late_rank for rank 1 is given twice", "--nproc", 2, "--fault", "late_rank:rank=1",
                            "--fault", "late_rank:by=data,rank=01")
        self.assert_refused("mb is given twice", "--fault", "small_buckets:mb=1,mb=2")
        for unfinished in ("late_rank:", "late_rank:ms=1,", "late_rank:,ms=1"):
            self.assert_refused("not one of its KEY=VALUE", "--fault", unfinished)
        code, out, err = trainer.run(*SMALL, "--nproc", 2, "--steps", 2, "--fault", "late_rank:rank=0,ms=1",
                                     "--fault", "late_rank:rank=1,ms=1")
        self.assertEqual(code, 0, out + err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
