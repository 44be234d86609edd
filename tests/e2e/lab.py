# SPDX-License-Identifier: Apache-2.0
"""What every end-to-end scenario shares: random draws that can be repeated, a recorded training run, its report.

A scenario drives only what a user drives: the binaries of the build, their options and their output. It must not reach
into a trace or a library by any other way."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("RINGSIDE_BUILD_DIR", ROOT / "build" / "dev")).resolve()
RINGSIDE = BUILD / "bin" / "ringside"
TRAINER = BUILD / "bin" / "ddp_trainer"
COLLECTOR = BUILD / "lib" / "libringside_collector.so"
EXTENSION = BUILD / "lib" / "ringside_sqlite.so"
MODEL = pathlib.Path(__file__).with_name("device_model.conf")
COMPUTING_MODEL = ROOT / "reference_trainer" / "cpu_platform" / "device_models" / "a100_like.conf"
# Many small layers in three buckets: the shape that device_model.conf was made for.
SHAPE = ("--hidden", 256, "--layers", 12, "--bucket-cap-mb", 1.5)
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.SystemRandom().randrange(1 << 32)))
RANKS = 4
SKIPPED = 77  # as ctest knows it (SKIP_RETURN_CODE)
TIMEOUT_S = 120  # of one command; a hang ends as a failure, not as a stuck suite
WAIT_S = 100  # for something that a running job is to show


def emulated_gpu(model=MODEL):
    """The environment in which a CUDA program runs on the CPU platform, with a device model."""
    return {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "lib" / "cpu_platform"), "RINGSIDE_DEVICE_MODEL": str(model),
            "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}


def run(command, expect=0, environment=None, **options):
    """Runs a command to its end and returns it; any other exit code than `expect` (None: any) fails with its output."""
    done = subprocess.run([str(word) for word in command], env=environment or dict(os.environ), text=True,
                          capture_output=True, timeout=TIMEOUT_S, **options)
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"exit code {done.returncode}, expected {expect}: {' '.join(map(str, command))}\n"
                             f"--- stdout\n{done.stdout[-4000:]}\n--- stderr\n{done.stderr[-4000:]}")
    return done


def trainer_command(steps, faults=(), ranks=RANKS, extra=(), shape=SHAPE):
    command = [TRAINER, "--nproc", ranks, "--steps", steps, *shape, *extra]
    for fault in faults:
        command += ["--fault", fault]
    return command


def record(directory, command, profile="standard", expect=0, environment=None, options=()):
    """`ringside record` of a command; an earlier recording in the same place is removed first."""
    shutil.rmtree(directory, ignore_errors=True)
    return run([RINGSIDE, "record", "-o", directory, "--profile", profile, *options, "--", *command], expect=expect,
               environment=environment or emulated_gpu())


@contextlib.contextmanager
def ahead_of_others():
    """What is started within has a real-time priority where that is allowed: other work on the machine does not make the emulated
    devices slow then."""
    usual = os.sched_getscheduler(0), os.sched_getparam(0)
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, *usual)


def report(directory, *options):
    return json.loads(run([RINGSIDE, "report", directory, "--format", "json", *options]).stdout)


def is_of_the_hypervisor(finding):
    """It gave CPU time of this machine to others: that is measured, and true of a job in which nothing is wrong."""
    stolen = finding["figures"].get("stolen_share")
    return finding["rule"] == "cpu_contention" and stolen is not None and stolen["value"] > stolen["threshold"]


def rank_processes(job):
    """{rank: pid} of a job's session."""
    ranks = {}
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.getsid(int(name)) == job.pid:
                for variable in pathlib.Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                    if variable.startswith(b"RANK="):
                        ranks[int(variable[5:])] = int(name)
        except OSError:
            pass  # it ended meanwhile
    return ranks


class Scenario(unittest.TestCase):
    """A test case with a folder of its own under build/ and a generator seeded by RINGSIDE_TEST_SEED."""

    @classmethod
    def setUpClass(cls):
        cls.folder = BUILD / "e2e" / cls.__name__
        shutil.rmtree(cls.folder, ignore_errors=True)
        cls.folder.mkdir(parents=True)
        cls.draw = random.Random(f"{SEED} {cls.__name__}")

    def until(self, what, condition):
        """Returns what the condition gives once that is true; fails, naming `what`, if it does not become so."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            found = condition()
            if found:
                return found
            time.sleep(0.1)
        return self.fail(f"{what}: not within {WAIT_S} s")

    @classmethod
    def training(cls, name, faults=(), steps=30, extra=(), ranks=RANKS, shape=SHAPE):
        """A recorded training run under build/, ahead of other work; returns its run directory."""
        directory = cls.folder / f"{name}.ringside"
        command = trainer_command(steps, faults, ranks, ("--json", cls.folder / f"{name}.json", *extra), shape)
        print("recorded:", " ".join(str(word) for word in command[1:]), flush=True)
        with ahead_of_others():
            record(directory, command)
        return directory

    def finding(self, result, rule, ranks=None):
        """The report's finding of a rule; fails with all findings when it is absent or about other ranks."""
        found = [each for each in result["findings"] if each["rule"] == rule]
        listed = [(each["rule"], each["severity"], each["ranks"]) for each in result["findings"]]
        missing = [each for each in result["not_applicable"] if each["rule"] == rule]
        self.assertTrue(found, f"{rule} is not among {listed}; not applicable: {missing}")
        if ranks is not None:
            self.assertEqual(sorted(found[0]["ranks"]), sorted(ranks), f"{rule} names other ranks: {found[0]['title']}")
        return found[0]

    def first(self, result, rule, ranks=None):
        """The finding, which must be the first that a reader meets."""
        found = self.finding(result, rule, ranks)
        listed = [(each["rule"], each["severity"], each["cost_ns_per_step"]) for each in result["findings"]]
        self.assertEqual(result["findings"][0]["rule"], rule, f"the report begins with another finding: {listed}")
        return found


def exit_code(result):
    """0, 1 where a test failed, or SKIPPED where no test ran: a scenario that looked at nothing has not passed."""
    skipped = {getattr(test, "test_case", test) for test, _ in result.skipped}
    ran = result.testsRun - sum(isinstance(test, unittest.TestCase) for test in skipped)
    if not result.wasSuccessful():
        return 1
    return 0 if ran else SKIPPED


def main():
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    sys.exit(exit_code(unittest.main(verbosity=2, exit=False).result))
