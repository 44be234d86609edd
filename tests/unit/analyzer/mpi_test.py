# SPDX-License-Identifier: Apache-2.0
"""Processes of an MPI launcher share a report: mpi_test.py RINGSIDE RINGSIDE_MPI MAKE_JOB MPIRUN"""

import json
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

    def test_hosts_are_summarized_side_by_side(self):
        path = self.job()
        alone, together = self.folder / "alone", self.folder / "together"
        self.assertEqual(run(RINGSIDE, "reduce", path, "-o", alone, "--steps", 20).returncode, 0)
        done = run(*LAUNCH, "-n", 3, RINGSIDE_MPI, "reduce", path, "-o", together, "--steps", 20)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = sorted(file.name for file in alone.iterdir())
        self.assertEqual(sorted(file.name for file in together.iterdir()), files)
        self.assertGreater(len(files), 1)
        for name in files:
            self.assertEqual((together / name).read_bytes(), (alone / name).read_bytes(), name)
            self.assertEqual(done.stderr.count(name), 1, done.stderr)

    def test_a_host_without_a_summary_is_named_and_the_others_have_one(self):
        path = self.job()
        folder = self.folder / "summaries"
        run(RINGSIDE, "reduce", path, "-o", folder)
        foreign, *others = sorted(folder.iterdir())
        for file in others:
            file.unlink()
        foreign.write_text("a file of somebody else")
        done = run(*LAUNCH, "-n", 2, RINGSIDE_MPI, "reduce", path, "-o", folder)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no summary of", done.stderr)
        self.assertEqual(foreign.read_text(), "a file of somebody else")
        self.assertTrue(all(file.exists() for file in others))

    def test_runs_are_compared_in_stretches(self):
        runs = [self.job(ranks=8), self.job("late_rank", ranks=16)]
        for command in ("scaling", "history"):
            arguments = (command, *runs, "--format", "json")
            alone = run(RINGSIDE, *arguments, *CUT)
            self.assertEqual(alone.returncode, 0, alone.stderr)
            self.assertEqual(run(RINGSIDE, *arguments).stdout, alone.stdout, f"{command}, as a whole")
            self.assertEqual(run(*LAUNCH, "-n", 3, RINGSIDE_MPI, *arguments, *CUT).stdout, alone.stdout, command)

    def test_two_runs_are_compared_in_stretches(self):
        runs = [self.job("slow_rail"), self.job("late_rank")]
        whole = json.loads(run(RINGSIDE, "diff", *runs, "--format", "json").stdout)
        alone = run(RINGSIDE, "diff", *runs, "--format", "json", *CUT)
        self.assertEqual(run(*LAUNCH, "-n", 3, RINGSIDE_MPI, "diff", *runs, "--format", "json", *CUT).stdout, alone.stdout)
        cut = json.loads(alone.stdout)
        waiting = ("wait_ns", "transfer_ns", "useful_utilization")  # are measured by clocks that are fitted anew in each stretch
        self.assertEqual(*([each for each in report["metrics"] if each["name"] not in waiting] for report in (cut, whole)))
        self.assertTrue(any("its kernels and collectives are those of its last" in remark for remark in cut["remarks"]), cut["remarks"])
        names = {each["name"] for each in whole["kernels"]}
        self.assertEqual({each["name"] for each in cut["kernels"]}, names)
        for table in ("kernels", "collectives"):
            of = {each["name"]: each for each in cut[table]}
            for each in whole[table]:
                for run_name in ("base_ns_per_step", "new_ns_per_step"):
                    if each[run_name] is not None:
                        self.assertAlmostEqual(of[each["name"]][run_name], each[run_name], delta=0.1 * each[run_name])

    def test_a_run_that_is_given_twice_ends_all(self):
        path = self.job()
        done = run(*LAUNCH, "-n", 3, RINGSIDE_MPI, "history", path, path, *CUT)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("is given twice", done.stderr)

    def test_nobody_waits_for_a_process_that_fails_at_the_first_of_two_runs(self):
        path = self.job()
        done = run(*LAUNCH, "-n", 3, RINGSIDE_MPI, "scaling", path, path, "--steps-by", "no such range")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no such range", done.stderr)

    def test_nobody_waits_for_a_process_that_does_not_see_the_run(self):
        path = self.job()
        blind = self.folder / "one_is_blind.sh"
        blind.write_text(f'[ "$OMPI_COMM_WORLD_RANK" = 1 ] && set -- "$1" {self.folder}/none\nexec {RINGSIDE_MPI} "$@"\n', encoding="utf-8")
        for command in ("report", "reduce"):
            self.assertNotEqual(run(*LAUNCH, "-n", 3, "sh", blind, command, path, *(CUT if command == "report" else ())).returncode, 0, command)

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
        self.assertNotIn("record", done.stderr)
        text = run(RINGSIDE_MPI, "--help").stdout
        self.assertIn("report", text)
        self.assertNotIn("record", text)


if __name__ == "__main__":
    unittest.main()
