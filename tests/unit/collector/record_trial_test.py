# SPDX-License-Identifier: Apache-2.0
"""What `ringside record` does where the collector cannot be loaded: record_trial_test.py RINGSIDE FAKES. Preloaded, such a
library ends every process before main, or the loader complains in each."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

RINGSIDE, FAKES = os.path.abspath(sys.argv.pop(1)), pathlib.Path(os.path.abspath(sys.argv.pop(1)))
JOB = ["sh", "-c", 'echo "ran with preload=$LD_PRELOAD dir=$RINGSIDE_DIR"; exit 7']


class Trial(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def record(self, collector, *options, job=tuple(JOB), **variables):
        environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "RINGSIDE_DIR")}
        return subprocess.run([RINGSIDE, "record", "-o", "run", *options, "--", *job], cwd=self.folder, text=True, timeout=60,
                              capture_output=True, env={**environment, "RINGSIDE_COLLECTOR": str(collector), **variables})

    def unrecorded(self, collector, reason, **variables):
        done = self.record(collector, **variables)
        self.assertEqual(done.stdout, f"ran with preload={variables.get('LD_PRELOAD', '')} dir=\n")
        self.assertEqual(done.returncode, 7, done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith("ringside: ")]
        self.assertEqual(len(said), 1, done.stderr)
        self.assertRegex(said[0], "not recording: .*" + reason)
        self.assertFalse((self.folder / "run").exists())
        required = self.record(collector, "--require", **variables)
        self.assertEqual((required.returncode, required.stdout), (125, ""))
        self.assertRegex(required.stderr, reason)

    def test_a_collector_for_a_newer_c_library(self):
        self.unrecorded(FAKES / "libfake_too_new_collector.so", r"needs GLIBC_2\.99, and this machine has glibc 2\.\d+")

    def test_in_a_path_that_the_loader_cannot_take(self):
        place = self.folder / "a $ and b"
        place.mkdir()
        shutil.copy(FAKES / "libfake_too_new_collector.so", place / "c.so")
        self.unrecorded(place / "c.so", r"needs GLIBC_2\.99")

    def test_a_collector_that_lacks_a_library(self):
        self.unrecorded(FAKES / "libfake_lonely_collector.so", "libfake_missing_library.so: cannot open shared object file")

    def test_a_file_that_is_no_library(self):
        short, other = self.folder / "short.so", self.folder / "other.so"
        short.touch()
        self.unrecorded(short, "file too short")
        image = bytearray((FAKES / "libfake_good_collector.so").read_bytes())
        image[4] = 1  # of 32 bits
        other.write_bytes(image)
        self.unrecorded(other, "wrong ELF class")

    def test_a_file_that_is_missing(self):
        self.unrecorded(self.folder / "none.so", "does not exist")

    def test_one_that_loads_is_used_and_the_trial_is_not_seen(self):
        good = FAKES / "libfake_good_collector.so"
        done = self.record(good, "--require")
        self.assertRegex(done.stdout, f"ran with preload={re.escape(str(good))} dir=.*/run")
        self.assertEqual(done.returncode, 7)
        self.assertNotIn("warning", done.stderr)

    def test_another_library_of_the_job_that_does_not_load_is_not_our_matter(self):
        done = self.record(FAKES / "libfake_good_collector.so", LD_PRELOAD="/nowhere/else.so")
        self.assertIn("libfake_good_collector.so:/nowhere/else.so", done.stdout)
        self.assertNotIn("not recording", done.stderr)


unittest.main(verbosity=2)
