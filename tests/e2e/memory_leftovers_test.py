# SPDX-License-Identifier: Apache-2.0
"""What killed processes leave in memory: `recover --list` shows it, and the next `record` of the same user takes it away."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import lab

SCRIPT = """
import ringside, time
number = 0
while True:
    with ringside.step(number):
        time.sleep(0.005)
    number += 1
"""
MEMORY = pathlib.Path("/dev/shm")
LIMIT_S = 60


class MemoryLeftovers(lab.Scenario):
    def setUp(self):
        super().setUp()
        self.directory = self.folder / f"{self._testMethodName}'s.ringside"  # a shell needs quotes
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self):
        """Without `record`, so that nobody collects what it leaves. Returns its folder in memory, too."""
        script = self.folder / "train.py"
        script.write_text(SCRIPT)
        self.directory.mkdir(mode=0o700)
        job = subprocess.Popen([sys.executable, "-B", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**lab.emulated_gpu(), "LD_PRELOAD": str(lab.COLLECTOR), "RINGSIDE_DIR": str(self.directory),
                                    "PYTHONPATH": str(lab.ROOT / "collector" / "python")})
        self.addCleanup(lambda: job.poll() is not None or (job.kill(), job.wait()))
        deadline = time.monotonic() + LIMIT_S
        while not list(self.directory.glob("*.db")) and time.monotonic() < deadline:
            time.sleep(0.05)
        place = pathlib.Path(next(self.directory.glob("*.rings")).read_text().splitlines()[0])
        if place.parent != MEMORY:
            self.end(job)
            self.skipTest("too little memory for rings")
        return job, place

    def end(self, job):
        job.send_signal(signal.SIGKILL)
        job.wait(timeout=LIMIT_S)

    def listed(self, place):
        lines = lab.run([lab.RINGSIDE, "recover", "--list"]).stdout.splitlines()
        return next((line for line in lines if line.startswith(f"{place}:")), "")

    def next_record(self):
        return lab.record(self.folder / "next.ringside", ["true"]).stderr

    def test_of_a_running_process_stays(self):
        job, place = self.start()
        self.assertIn("(running)", self.listed(place))
        self.assertNotIn(str(place), self.next_record())
        self.assertTrue(list(place.glob("*.ring")))
        self.end(job)
        lab.run([lab.RINGSIDE, "recover", self.directory])
        self.assertFalse(place.exists())
        self.assertIn("nothing to recover", lab.run([lab.RINGSIDE, "recover", self.directory]).stderr)

    def test_of_a_process_that_was_killed_before_its_first_ring_goes_with_recovery(self):
        self.directory.mkdir(mode=0o700)
        other = self.folder / "other's.ringside"
        other.mkdir(mode=0o700, exist_ok=True)
        folders = []
        for run in (self.directory, other):
            folders.append(MEMORY / f"ringside-{os.getuid()}-{self.draw.randrange(100000, 1000000)}")
            folders[-1].mkdir(mode=0o700)
            self.addCleanup(shutil.rmtree, folders[-1], ignore_errors=True)
            note = f"{os.getpid()} 1 {os.readlink('/proc/self/ns/pid')}\n{run}"  # another process had this number
            (folders[-1] / f"host-{os.getpid()}.run").write_text(note)
        self.assertIn("(gone)", self.listed(folders[0]))
        lab.run([lab.RINGSIDE, "recover", self.directory])
        self.assertEqual([folder.exists() for folder in folders], [False, True])

    def test_of_a_killed_process_goes_into_its_run(self):
        job, place = self.start()
        self.end(job)
        line = self.listed(place)
        self.assertIn("(gone)", line)
        hint = line.split(": ringside recover ")[1]
        self.assertEqual(lab.run(["bash", "-c", f"printf %s {hint}"]).stdout, str(self.directory))
        self.assertIn("was killed", self.next_record())
        self.assertFalse(place.exists())
        self.assertTrue(list((self.directory / "rings").glob("*.ring")), "its records are lost")
        said = lab.run([lab.RINGSIDE, "recover", self.directory]).stderr
        self.assertRegex(said, r"[0-9]+ records recovered")

    def test_of_a_killed_process_without_a_run_is_removed(self):
        job, place = self.start()
        self.end(job)
        shutil.rmtree(self.directory)
        said = self.next_record()
        self.assertIn(f"{place}", said)
        self.assertIn("removed", said)
        self.assertFalse(place.exists())


if __name__ == "__main__":
    lab.main()
