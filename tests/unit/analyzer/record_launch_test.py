# SPDX-License-Identifier: Apache-2.0
"""Which `record`s share a run directory, by what launchers put into the environment: record_launch_test.py RINGSIDE. The
collector's place is taken by a library that does nothing, and what it would leave in the directory by a file."""

import os
import re
import subprocess
import sys
import time
import unittest

import cases

RINGSIDE = os.path.abspath(sys.argv.pop(1))
LAUNCHERS = re.compile(r"(RINGSIDE|SLURM|OMPI|PMIX?|PALS|FLUX|TORCHELASTIC)_.*|RANK|WORLD_SIZE|LOCAL_RANK|MASTER_(ADDR|PORT)")
NOBODY = 65534


class Launches(cases.FolderCase):
    def setUp(self):
        super().setUp()
        collector = cases.make_collector(self.folder / "collector.so")
        self.environment = {name: value for name, value in os.environ.items() if not LAUNCHERS.fullmatch(name)}
        self.environment["RINGSIDE_COLLECTOR"] = str(collector)
        self.directory = self.folder / "run.ringside"

    def start(self, script=': > "$RINGSIDE_DIR/recorded-$$.db"', output=True, **variables):
        """Records a shell's work; by itself it leaves something in the directory, as a rank that called CUDA does."""
        option = ["-o", self.directory] if output else []
        job = subprocess.Popen([RINGSIDE, "record", *map(str, option), "--", "sh", "-c", script], text=True, cwd=self.folder,
                               env={**self.environment, **variables}, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: job.poll() is not None or (job.kill(), job.wait()))
        return job

    def end(self, job, code=0):
        out, error = job.communicate(timeout=30)
        self.assertEqual(job.returncode, code, error)
        return out + error

    def accept(self, *arguments, **variables):
        return self.end(self.start(*arguments, **variables))

    def refuse(self, **variables):
        """Before anything starts, with a word about what to do."""
        trace = self.folder / "started"
        said = self.end(self.start(f": > '{trace}'", **variables), 125)
        self.assertFalse(trace.exists(), "the command ran")
        self.assertRegex(said, "is not empty|belongs to another user|written by everybody")
        self.assertRegex(said, "-o|owner|another directory")
        return said

    def long(self, **variables):
        """One that has called CUDA and goes on until it is told to end."""
        ready = self.folder / f"ready-{len(list(self.folder.iterdir()))}"
        job = self.start(f': > "$RINGSIDE_DIR/recorded-$$.db"; : > {ready}; read line || true', **variables)
        deadline = time.monotonic() + 30
        while not ready.exists() and job.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(ready.exists())
        return job

    LAUNCHES = (({"PMIX_NAMESPACE": "prterun-a-7@1"}, "OMPI_COMM_WORLD_RANK"), ({"SLURM_JOB_ID": "12", "SLURM_STEP_ID": "0"}, "SLURM_PROCID"),
                ({"OMPI_MCA_ess_base_jobid": "77"}, "OMPI_COMM_WORLD_RANK"), ({"TORCHELASTIC_RUN_ID": "ab"}, "RANK"),
                ({"RINGSIDE_LAUNCH": "mine"}, "RANK"), ({"PMI_SIZE": "3"}, "PMI_RANK"),
                ({"WORLD_SIZE": "3", "MASTER_ADDR": "a", "MASTER_PORT": "29500"}, "RANK"))

    def each_launch(self):
        for index, (launch, rank) in enumerate(self.LAUNCHES):
            self.directory = self.folder / f"run{index}.ringside"
            yield launch, rank

    def test_a_rank_that_comes_late_joins(self):
        for launch, rank in self.each_launch():
            first = self.long(**launch, **{rank: "0"})
            self.accept(**launch, **{rank: "1"})
            self.end(first)
            self.accept(**launch, **{rank: "2"})  # the others are through already
            self.assertEqual(len(list(self.directory.glob("*.db"))), 3)

    def test_a_second_launch_is_refused_before_it_starts(self):
        for launch, rank in self.each_launch():
            for number in "01":
                self.accept(**launch, **{rank: number})
            self.refuse(**launch, **{rank: "0"})  # the same, once more
            changed = dict(launch)
            name = list(changed)[-1]
            changed[name] += "9"
            self.refuse(**changed, **{rank: "2"})
            self.refuse()

    def test_a_second_launch_is_refused_while_the_first_runs(self):
        for launch, rank in self.each_launch():
            first = self.long(**launch, **{rank: "0"})
            self.refuse(**launch, **{rank: "0"})
            self.refuse()
            self.end(first)

    def test_without_a_launcher_there_is_one_record(self):
        first = self.long()
        self.refuse()
        self.end(first)
        self.refuse()

    def test_the_batch_script_of_a_job_is_no_launch(self):
        for step in ({}, {"SLURM_STEP_ID": "4294967291"}, {"SLURM_STEP_ID": "4294967290"}):
            self.directory = self.folder / f"batch{len(step)}{step.get('SLURM_STEP_ID', '')}.ringside"
            self.accept(SLURM_JOB_ID="12", **step)
            self.refuse(SLURM_JOB_ID="12", **step)

    def test_another_host_joins_while_the_first_runs(self):
        if subprocess.run(["unshare", "-u", "true"], capture_output=True).returncode != 0:
            self.skipTest("no permission for another host name")
        def elsewhere():
            return subprocess.run(["unshare", "-u", "sh", "-c", 'hostname elsewhere; exec "$@"', "sh", RINGSIDE, "record", "-o", self.directory, "--", "true"],
                                  env=self.environment, text=True, capture_output=True, timeout=30)
        first = self.long()
        done = elsewhere()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.end(first)
        done = elsewhere()
        self.assertEqual(done.returncode, 125, done.stderr)

    def test_an_elastic_restart_is_a_new_attempt(self):
        launch = {"TORCHELASTIC_RUN_ID": "ab", "RANK": "0"}
        self.end(self.start(': > "$RINGSIDE_DIR/x.db"; exit 1', **launch, TORCHELASTIC_RESTART_COUNT="0"), 1)
        self.end(self.start("exit 1", **launch, TORCHELASTIC_RESTART_COUNT="1"), 1)
        self.accept(**launch, TORCHELASTIC_RESTART_COUNT="1")  # the number of hosts changed: not counted
        self.refuse(**launch, TORCHELASTIC_RESTART_COUNT="1")
        self.directory = self.folder / "requeued.ringside"
        job = {"SLURM_JOB_ID": "12", "SLURM_STEP_ID": "0", "SLURM_PROCID": "0"}
        self.end(self.start(': > "$RINGSIDE_DIR/x.db"; exit 1', **job), 1)
        self.refuse(**job)  # somebody tries again in the shell of a step
        self.accept(**job, SLURM_RESTART_COUNT="1")

    def test_a_restart_after_record_itself_was_killed_is_a_new_attempt(self):
        launch = {"RINGSIDE_LAUNCH": "mine", "RANK": "0"}
        first = self.long(**launch)
        first.kill()
        first.communicate(timeout=30)
        self.accept(**launch)

    def test_a_record_inside_of_a_record_joins(self):
        self.accept(f': > "$RINGSIDE_DIR/x.db"; {RINGSIDE} record -o {self.directory} -- true; {RINGSIDE} record -o {self.directory} -- true')

    def test_a_launch_without_a_directory_of_its_own_shares_one(self):
        for launch, rank in self.each_launch():
            before = set(self.folder.glob("ringside-*.ringside"))
            with_rank = [self.start(output=False, **launch, **{rank: str(number)}) for number in range(3)]
            for job in with_rank:
                self.end(job)
            made = set(self.folder.glob("ringside-*.ringside")) - before
            self.assertEqual(len(made), 1, made)
            self.assertEqual(len(list(made.pop().glob("*.db"))), 3)
            self.accept(output=False, **launch, **{rank: "0"})
            self.assertEqual(len(set(self.folder.glob("ringside-*.ringside")) - before), 2, "a second launch has its own")

    def test_all_ranks_of_a_launch_hand_on_one_word(self):
        for launch, rank in self.each_launch():
            word = ': > "$RINGSIDE_DIR/$$.db"; echo "<$RINGSIDE_LAUNCH>"'
            words = {re.search("<.+>", self.accept(word, **launch, **{rank: str(number)})).group() for number in range(3)}
            self.assertEqual(len(words), 1, "the settings of the ranks would differ")

    def test_records_of_one_second_have_directories_of_their_own(self):
        for job in [self.start(output=False) for _ in range(8)]:
            self.end(job)
        runs = list(self.folder.glob("ringside-*.ringside"))
        self.assertEqual([len(list(run.glob("*.db"))) for run in runs], 8 * [1])

    def test_of_launches_at_one_moment_one_has_the_directory(self):
        jobs = [self.start('sleep 1; : > "$RINGSIDE_DIR/x-$$.db"', RINGSIDE_LAUNCH=str(number), RANK="0") for number in range(8)]
        for job in jobs:
            job.communicate(timeout=30)
        self.assertEqual(sorted(job.returncode for job in jobs), [0] + 7 * [125])

    def test_where_nothing_was_recorded_the_directory_is_free_again(self):
        self.accept("true")
        self.assertEqual(list(self.directory.iterdir()), [])
        self.accept("true", RINGSIDE_LAUNCH="x", RANK="0")
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_what_is_there_already_is_not_ours_to_change(self):
        self.directory.mkdir(mode=0o755)
        self.directory.chmod(0o755)
        self.accept("true")
        self.assertEqual(self.directory.stat().st_mode & 0o777, 0o755)
        (self.directory / "something").touch()
        self.refuse()
        self.refuse(RINGSIDE_LAUNCH="x", RANK="0")
        self.assertEqual([each.name for each in self.directory.iterdir()], ["something"])

    def test_a_directory_that_the_command_removes_is_no_failure(self):
        self.end(self.start('rm -r "$RINGSIDE_DIR"; exit 7'), 7)

    def test_on_a_full_disk_the_command_runs(self):
        place = self.folder / "full"
        place.mkdir()
        script = f'mount -t tmpfs -o size=64k none {place} && ! cat /dev/zero > {place}/zeros 2>/dev/null; for i in 1 2; do "$@"; echo "<$?>"; done'
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", RINGSIDE, "record", "-o", place / "run.ringside", "--", "sh", "-c", "exit 7"],
                              env={**self.environment, "RINGSIDE_LAUNCH": "x"}, text=True, capture_output=True, timeout=60)
        if done.returncode != 0:
            self.skipTest("no permission for a file system of its own")
        self.assertEqual(re.findall("<.+>", done.stdout), ["<7>", "<7>"], done.stderr)

    def test_directories_of_others_are_refused(self):
        self.directory.mkdir()
        self.directory.chmod(0o777)
        self.refuse()
        self.directory.chmod(0o700)
        try:
            os.chown(self.directory, NOBODY, NOBODY)
        except PermissionError:
            self.skipTest("only root can give a directory away")
        self.refuse()
        self.assertEqual(list(self.directory.iterdir()), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
