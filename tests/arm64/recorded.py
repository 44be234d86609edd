# SPDX-License-Identifier: Apache-2.0
"""Runs that are recorded by an ARM64 collector in qemu-user, and their reports by ringside of both processors.
recorded.py BUILD TRAINER_FOLDER; run.sh makes them."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
import lab

BUILD, TRAINER = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
LIBRARIES = "/usr/aarch64-linux-gnu"  # of the cross compiler: the C and C++ libraries that its programs run with
FORMATS = ("text", "json", "html", "markdown", "junit", "sarif")


class Recorded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.run_folder = self.folder / "run.ringside"
        self.environment = {"LD_LIBRARY_PATH": f"{self.folder}:{TRAINER}/cpu_platform", "OPENBLAS_NUM_THREADS": "1", "RINGSIDE_DEVICE_MODEL": str(lab.MODEL),
                            "LD_PRELOAD": str(BUILD / "lib/libringside_collector.so"), "RINGSIDE_DIR": str(self.run_folder), "RINGSIDE_PROFILE": "standard"}

    def emulated(self, *words, **environment):
        variables = [word for name, value in environment.items() for word in ("-E", f"{name}={value}")]
        return ["qemu-aarch64", "-L", LIBRARIES, *variables, *map(str, words)]

    def train(self, rank, ranks, steps):
        return subprocess.Popen(self.emulated(TRAINER / "ddp_trainer", "--steps", steps, *lab.SHAPE, **self.environment, RANK=rank, LOCAL_RANK=rank,
                                              WORLD_SIZE=ranks, MASTER_ADDR="127.0.0.1", MASTER_PORT=29600 + os.getpid() % 300), stdout=subprocess.DEVNULL)

    def assert_same_reports(self):
        for form in FORMATS:
            words = ("report", "--format", form, self.run_folder)
            theirs = subprocess.run(self.emulated(BUILD / "bin/ringside", *words), capture_output=True)
            ours = subprocess.run([lab.RINGSIDE, *words], capture_output=True)
            self.assertEqual((theirs.returncode, theirs.stdout), (ours.returncode, ours.stdout), form)
            self.assertGreater(len(ours.stdout), 200, form)

    def test_ranks_of_a_run(self):
        ranks = [self.train(rank, 2, 24) for rank in range(2)]
        self.assertEqual([rank.wait(120) for rank in ranks], [0, 0])
        result = lab.report(self.run_folder)
        self.assertEqual(result["run"]["ranks_present"], [0, 1])
        self.assertEqual((result["coverage"]["steps"]["total"], result["coverage"]["dropped_records"], result["issues"]), (24, 0, []))
        self.assertEqual(result["coverage"]["arrivals_share"], 1.0)
        self.assert_same_reports()

    def test_a_rank_that_is_killed_is_recovered(self):
        rank = self.train(0, 1, 10000)
        deadline = time.monotonic() + 60
        while not list(self.run_folder.glob("*.db")) or time.monotonic() < deadline - 57:  # a few steps
            self.assertLess(time.monotonic(), deadline, "it makes no trace")
            time.sleep(0.2)
        rank.send_signal(signal.SIGKILL)
        rank.wait()
        done = subprocess.run(self.emulated(BUILD / "bin/ringside", "recover", self.run_folder), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("process_killed", [each["id"] for each in lab.report(self.run_folder)["issues"]])
        self.assert_same_reports()

    def test_calls_that_a_program_jumps_out_of(self):
        programs = ROOT / "tests/harm/programs"
        compiler = ["aarch64-linux-gnu-g++", "-std=c++20"]
        subprocess.run([*compiler, "-fPIC", "-shared", "-o", self.folder / "libleaving.so", programs / "leaving.cpp"], check=True)
        subprocess.run([*compiler, "-o", self.folder / "leaves", programs / "leaves_calls.cpp", programs / "call_cuda.cpp", f"-L{self.folder}", "-lleaving",
                        f"-I{ROOT}/reference_trainer/cpu_platform/include", f"-L{TRAINER}/cpu_platform", "-lcudart",
                        "-Wl,--unresolved-symbols=ignore-in-shared-libs"], check=True)
        done = subprocess.run(self.emulated(self.folder / "leaves", "small", **self.environment), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "left 100 calls, 100 others worked\n"), done.stderr)
        left = [each["count"] for each in lab.report(self.run_folder)["issues"] if each["id"] == "calls_left"]
        self.assertEqual(left, [100])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
