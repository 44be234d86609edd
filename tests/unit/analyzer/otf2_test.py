# SPDX-License-Identifier: Apache-2.0
"""An exported archive, read back by OTF2's own reader: otf2_test.py RINGSIDE MAKE_JOB PARALLEL_JOBS OTF2_PRINT"""

import collections
import re
import subprocess
import sys
import unittest

import cases

RINGSIDE, MAKE_JOB, PARALLEL_JOBS, OTF2_PRINT = (sys.argv.pop(1) for _ in range(4))
KERNELS_A_STEP, COLLECTIVES_A_STEP = 200, 8  # make_job


def run(*words, expect=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode != expect:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    return done


class Otf2(cases.FolderCase):
    def export(self, path):
        output = self.folder / "out"
        run(RINGSIDE, "export", path, "--format", "otf2", "-o", output)
        return output / "traces.otf2"

    def printed(self, anchor, *options):
        done = run(OTF2_PRINT, *options, anchor)
        self.assertNotIn("error", done.stderr.lower())
        return done.stdout

    def events(self, anchor):
        """Kind, location, time and the rest of each event."""
        found = re.findall(r"^([A-Z_]+) +(\d+) +(\d+) +(.*)$", self.printed(anchor), re.MULTILINE)
        return [(kind, int(location), int(time), rest.strip()) for kind, location, time, rest in found]

    def job(self, *arguments):
        path = self.folder / "job.ringside"
        run(MAKE_JOB, path, *arguments)
        return path

    def test_all_work_is_there_and_nests(self):
        ranks, steps = 16, 4
        events = self.events(self.export(self.job(ranks, steps, "slow_rail")))
        kinds = collections.Counter(kind for kind, *_ in events)
        self.assertEqual(kinds["ENTER"], ranks * steps * (KERNELS_A_STEP + COLLECTIVES_A_STEP + 1))
        self.assertEqual(kinds["MPI_COLLECTIVE_END"], ranks * steps * COLLECTIVES_A_STEP)
        stacks, last = collections.defaultdict(list), collections.Counter()
        for kind, location, time, rest in events:
            self.assertGreaterEqual(time, last[location])
            last[location] = time
            if kind == "ENTER":
                stacks[location].append(rest)
            elif kind == "LEAVE":
                self.assertEqual(stacks[location].pop(), rest)
        self.assertFalse(any(stacks.values()))

    def test_collectives_name_their_communicators_and_bytes(self):
        anchor = self.export(self.job(16, 2, "slow_rail"))
        ends = [rest for kind, *_, rest in self.events(anchor) if kind == "MPI_COLLECTIVE_END"]
        self.assertTrue(all("ALLREDUCE" in each and "26214400" in each for each in ends), ends[0])
        definitions = self.printed(anchor, "-G")
        groups = re.findall(r"^GROUP .*Type: COMM_GROUP.*?(\d+) Members", definitions, re.MULTILINE)
        self.assertEqual(collections.Counter(groups), {"16": 1, "2": 8})  # all ranks, and a rail of two hosts each
        self.assertEqual(len(re.findall(r"^LOCATION_GROUP .*Type: PROCESS", definitions, re.MULTILINE)), 16)
        self.assertIn('"node1001"', definitions)

    def test_pipelines_can_be_exported(self):
        path = self.folder / "parallel.ringside"
        run(PARALLEL_JOBS, 1002, path)
        self.assertIn("ENTER", self.printed(self.export(path)))

    def test_what_holds_the_run_is_as_private_as_the_run(self):
        anchor = self.export(self.job(8, 2))
        for file in [anchor.parent, *anchor.parent.rglob("*")]:
            self.assertEqual(file.stat().st_mode & 0o077, 0, file)

    def test_a_folder_that_cannot_be_made_is_said(self):
        done = run(RINGSIDE, "export", self.job(8, 2), "--format", "otf2", "-o", "/proc/none/out", expect=3)
        self.assertIn("/proc/none/out", done.stderr)
        self.assertNotIn("[OTF2]", done.stderr)


if __name__ == "__main__":
    unittest.main()
