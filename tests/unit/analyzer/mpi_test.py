# SPDX-License-Identifier: Apache-2.0
"""Processes of an MPI launcher share a report: mpi_test.py RINGSIDE RINGSIDE_MPI MAKE_JOB MPIRUN"""

import os
import subprocess
import sys
import unittest

import cases

RINGSIDE, RINGSIDE_MPI, MAKE_JOB, MPIRUN = (sys.argv.pop(1) for _ in range(4))
CUT = ("--memory", "1")
# The machine has fewer cores than processes, and a container's user may be root.
LAUNCH = (MPIRUN, "--oversubscribe", "--allow-run-as-root")


def run(*words, environment=None):
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_"))}
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=240, check=False,
                          env={**plain, **(environment or {})})


class Mpi(cases.FolderCase):
    def job(self, fault="slow_rail", ranks=16, steps=100):
        path = self.folder / f"{fault}.ringside"
        subprocess.run([MAKE_JOB, path, str(ranks), str(steps), fault], check=True)
        return path

    def alone(self, *arguments):
        done = run(RINGSIDE, "report", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def together(self, processes, *arguments):
        return run(*LAUNCH, "-n", processes, RINGSIDE_MPI, "report", *arguments)

    def test_the_report_is_the_same_for_any_number_of_processes(self):
        path = self.job()
        arguments = (path, *CUT, "--format", "json")
        alone = self.alone(*arguments)
        self.assertIn('"stretches": 5', alone)
        self.assertEqual(run("taskset", "-c", min(os.sched_getaffinity(0)), RINGSIDE, "report", *arguments).stdout, alone)
        for processes in (1, 2, 3, 8):
            done = self.together(processes, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, alone, f"{processes} processes")

    def test_a_run_that_fits_is_reported_by_one_of_them(self):
        path = self.job()
        self.assertEqual(self.together(3, path, "--format", "json").stdout, self.alone(path, "--format", "json"))

    def test_text_has_no_colours(self):
        self.assertNotIn("\x1b", self.together(2, self.job(), *CUT).stdout)

    def test_the_gate_is_the_exit_code(self):
        path = self.job()
        self.assertEqual(self.together(2, path, *CUT, "--fail-on", "problem").returncode, 1)

    def test_a_file_that_cannot_be_read_is_named(self):
        path = self.job()
        damaged = sorted(path.glob("*.db"))[3]
        damaged.write_bytes(b"no database")
        arguments = (path, *CUT, "--format", "json")
        done = self.together(3, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(damaged.name, done.stdout)
        self.assertEqual(done.stdout, self.alone(*arguments))

    def test_a_run_that_does_not_exist_is_said_once(self):
        done = self.together(3, self.folder / "none.ringside")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count("does not exist"), 1)

    def test_a_process_that_dies_ends_the_job(self):
        killer = self.folder / "one_dies.sh"
        killer.write_text(f'[ "$OMPI_COMM_WORLD_RANK" = 1 ] && kill -9 $$\nexec {RINGSIDE_MPI} "$@"\n', encoding="utf-8")
        done = run(*LAUNCH, "-n", 3, "sh", killer, "report", self.job(), *CUT)
        self.assertNotEqual(done.returncode, 0)

    def test_a_launcher_of_another_protocol_is_refused(self):
        done = run(RINGSIDE_MPI, "report", self.folder, environment={"SLURM_STEP_NUM_TASKS": "4"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("the launcher started 4 processes, but MPI sees only this one", done.stderr)
        self.assertIn("--mpi=pmix", done.stderr)

    def test_commands_of_one_process_are_no_commands(self):
        done = run(RINGSIDE_MPI, "hang", self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("ringside-mpi has no command 'hang'", done.stderr)
        self.assertIn("report", run(RINGSIDE_MPI, "--help").stdout)


if __name__ == "__main__":
    unittest.main()
