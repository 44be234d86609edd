# SPDX-License-Identifier: Apache-2.0
"""The summary of `ringside record` with the real collector: record_summary_test.py RINGSIDE FAKES."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

RINGSIDE, FAKES = sys.argv.pop(1), sys.argv.pop(1)
CONDUCT = f"{FAKES}/recorded_conduct"
STATIC = pathlib.Path("/sbin/ldconfig")


class RecordSummary(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def shell(self, script):
        return subprocess.run(["bash", "-c", script, RINGSIDE, CONDUCT], cwd=self.folder, text=True, capture_output=True, timeout=100)

    def said(self, script):
        """What record says. In the script $0 is ringside, and $1 a program that calls NCCL."""
        done = self.shell(script)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_a_disk_that_fills_up_is_named(self):
        mounted = 'mkdir disk && mount -t tmpfs -o size=16m none disk'
        if subprocess.run(["unshare", "-m", "bash", "-c", mounted], cwd=self.folder, capture_output=True).returncode != 0:
            self.skipTest("no right to mount a small file system")
        said = self.said('unshare -m bash -c \'mount -t tmpfs -o size=16m none disk && "$0" record -o disk/run -- "$1" full_disk &&'
                         ' "$0" query disk/run "SELECT message FROM issue WHERE id = \\"trace_full\\"" >&2\' "$0" "$1"')
        self.assertIn("is nearly full, and the rest is left to the job: only definitions are recorded from now on", said)
        self.assertIn("1 process recorded in", said)
        self.assertRegex(said, "after the start: what came later is not recorded")

    def test_a_disk_without_room_is_refused(self):
        if subprocess.run(["unshare", "-m", "bash", "-c", "mkdir disk && mount -t tmpfs -o size=1m none disk"], cwd=self.folder, capture_output=True).returncode != 0:
            self.skipTest("no right to mount a small file system")
        said = self.said('unshare -m bash -c \'mount -t tmpfs -o size=1m none disk && "$0" record -o disk/run -- "$1" one_allocation\' "$0" "$1"')
        self.assertRegex(said, "nothing recorded: the disk of .*disk/run has no room for a trace .[0-9]+ KiB are free")

    def test_a_limit_of_files_is_named(self):
        said = self.said('"$0" record -o run -- "$1" file_limit_midway')
        self.assertIn("ringside: recording stopped on 1 process: the file-size limit (ulimit -f) is reached.", said)
        said = self.said('ulimit -f 100; "$0" record -o small -- "$1" one_allocation')
        self.assertIn("nothing recorded: the file-size limit of 100 KiB (ulimit -f)", said)

    def test_one_rank_speaks_for_those_that_a_launcher_starts_one_by_one(self):
        launched = 'SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_PROCID={rank} "$0" record -o run -- "$1" one_allocation'
        self.assertEqual(self.said(launched.format(rank=1)), "")
        self.assertRegex(self.said(launched.format(rank=0)), "ringside: 2 processes recorded in .*\nringside: next: ")

    def test_nothing_recorded_says_why(self):
        self.assertIn("nothing recorded: no process in which the collector is loaded called CUDA or NCCL", self.said('"$0" record -o a -- true'))
        self.assertIn("--profile off only preloads", self.said('"$0" record -o b --profile off -- "$1" one_allocation'))
        self.assertIn("the flight recorder wrote nothing", self.said('"$0" record -o c --keep-last 60s -- true'))

    def test_a_host_without_a_driver_is_named(self):
        said = self.said('"$0" record -o a -- true')
        self.assertEqual("no NVIDIA driver" in said, not pathlib.Path("/dev/nvidiactl").exists() and not pathlib.Path("/dev/dxg").exists())

    def test_a_static_program_is_named(self):
        if not STATIC.exists() or subprocess.run(["ldd", STATIC], capture_output=True).stdout.count(b"=>") > 0:
            self.skipTest("no static program at hand")
        self.assertIn("/sbin/ldconfig is a static program", self.said(f'"$0" record -o a -- {STATIC} --version'))

    def test_the_next_command_can_be_typed(self):
        said = self.said('"$0" record -o "a run; b" -- "$1" one_allocation')
        line = next(line for line in said.splitlines() if "next: " in line)
        self.assertEqual(self.shell(line.partition("next: ")[2].replace("ringside ", '"$0" ', 1)).returncode, 0, line)


if __name__ == "__main__":
    unittest.main(verbosity=2)
