# SPDX-License-Identifier: Apache-2.0
"""What `ringside hang` says of a folder with nothing but logs: left_logs_test.py RINGSIDE SCHEMA."""

import json
import pathlib
import subprocess
import sys

import cases
import jsonschema

RINGSIDE, SCHEMA = sys.argv.pop(1), json.loads(pathlib.Path(sys.argv.pop(1)).read_text())


class LeftLogs(cases.FolderCase):
    def hang(self, *options, expect=0):
        done = subprocess.run([RINGSIDE, "hang", self.folder, *options], text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def write(self, name, *lines):
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def test_names_the_rank_that_ran_out_of_memory_first(self):
        for rank in (0, 1, 2):
            self.write(f"rank{rank}.log", "2026-11-28 10:04:01,000 INFO step 11 done",
                       f"2026-11-28 10:04:12,{350 + rank} ERROR recvBytes failed: Connection reset by peer")
        self.write("rank3.log", "2026-11-28 10:04:01,100 INFO step 11 done",
                   "2026-11-28 10:04:10,250 ERROR torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
        self.write("results.json", '{"loss": 0.1}')
        said = self.hang()
        self.assertIn("rank 3 ran out of GPU memory first, 2.1 s before ranks 0 to 2 lost a connection or waited too long", said)
        report = json.loads(self.hang("--format", "json"))
        jsonschema.validate(report, SCHEMA)
        self.assertEqual((report["verdict"]["kind"], report["verdict"]["died_first"]), ("died", 3))
        self.hang("--fail", expect=1)

    def test_a_watchdogs_victims_are_not_blamed(self):
        """The watchdog's lines give a verdict of their own; the first symptom is its witness."""
        timed_out = ("[rank{0}]:[E1128 10:34:10.204117 ProcessGroupNCCL.cpp:616] [Rank {0}] Watchdog caught collective operation timeout: "
                     "WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600001 milliseconds before timing out.")
        self.write("job.log", "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
                   *(timed_out.format(rank) for rank in (0, 2, 3)))
        report = json.loads(self.hang("--format", "json"))
        jsonschema.validate(report, SCHEMA)
        logs = next(each for each in report["witnesses"] if each["source"] == "logs")
        self.assertEqual((logs["blamed"], logs["agreement"]), ([1], "agrees"))

    def test_logs_without_a_symptom_stay_unusable(self):
        self.write("job.log", "2026-11-28 10:04:01,000 INFO step 11 done")
        self.assertIn("no trace that can be read", self.hang(expect=3))


if __name__ == "__main__":
    cases.unittest.main()
