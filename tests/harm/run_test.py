# SPDX-License-Identifier: Apache-2.0
"""The matrix can fail: each kind of harm, done on purpose in place of a recording, is found. And its table in tests/README.md is
that of the cases that there are."""

import pathlib
import re
import shutil
import sys
import unittest

import observation
import run
import table
from case import Case, read_matrix

TABLE_BEGINS, TABLE_ENDS = "<!-- tests/harm/run.py --table -->\n", "\n<!-- end -->"
HARM = {  # what is done, and the word that names it
    "stdout": "echo more; exec \"$@\"",
    "stderr": "echo more >&2; exec \"$@\"",
    "end": "\"$@\"; exit 9",
    "file tmp/leaked": "touch tmp/leaked; exec \"$@\"",
    "file written": "umask 077; exec \"$@\"",
    "left in dev shm": "touch /dev/shm/leaked; exec \"$@\"",
    "left running": "sleep 100 & exec \"$@\"",
    "most memory": "python3 -c 'x = bytearray(150 << 20)'; exec \"$@\"",
    "left in system v memory": "ipcmk --shmem 1000 > /dev/null; exec \"$@\"",
}


@unittest.skipUnless(run.have_namespaces(), "this system allows no mount and process namespaces")
class Harm(unittest.TestCase):
    def setUp(self):
        self.folder = observation.BUILD / "harm" / "run_test"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.case = Case(name="sample", kind="sample", what="", command=["bash", "-c", "echo said; echo text > written; exit 3"], limit_s=5)

    def seen(self, harm):
        return observation.observe(self.case, "record", self.folder, ["bash", "-c", harm, "bash"])

    def test_each_kind_of_harm_is_found_and_nothing_else(self):
        plain = observation.observe(self.case, "plain", self.folder)
        self.assertEqual(observation.differences(plain, self.seen("exec \"$@\"")), [])
        for word, harm in HARM.items():
            with self.subTest(harm):
                found = observation.differences(plain, self.seen(harm))
                self.assertEqual([each.startswith(word) for each in found], [True], found)

    def test_a_signal_is_another_end_than_its_number(self):
        ends = {"killed by signal 15": "kill -TERM $$", "exit code 143": "exit 143"}
        runs = {}
        for end, harm in ends.items():
            runs[end] = self.seen(harm)
            self.assertEqual(runs[end].end, end)
        killed, exited = runs.values()
        self.assertIn("end", " ".join(observation.differences(killed, exited, "preload")))
        self.assertEqual(observation.differences(killed, exited, "record"), [])
        self.assertIn("end", " ".join(observation.differences(exited, killed, "record")))

    def test_a_command_that_never_ends_is_a_difference(self):
        plain = observation.observe(self.case, "plain", self.folder)
        self.assertIn("did not end", self.seen("sleep 100").end)
        self.assertEqual(plain.end, "exit code 3")

    def test_a_recording_that_others_may_read_or_that_is_none_is_told(self):
        run_directory = self.folder / "run"
        run_directory.mkdir(mode=0o755)
        (run_directory / "vm-1.db").write_text("no trace")
        told = " ".join(observation.recording_faults(self.case, self.folder))
        for words in ("mode 644", "mode 755", "recorded although", "report ends with 3"):
            self.assertIn(words, told)


class Matrix(unittest.TestCase):
    def test_the_table_in_the_readme_is_current(self):
        text = pathlib.Path(__file__).resolve().parents[1].joinpath("README.md").read_text()
        written = text.partition(TABLE_BEGINS)[2].partition(TABLE_ENDS)[0]
        self.assertEqual(written, table.of(read_matrix()), "copy what tests/harm/run.py --table prints to tests/README.md")

    def test_every_program_has_a_case(self):
        lines = "\n".join(str(case.command) for case in read_matrix())
        sources = "".join(path.read_text() for path in (pathlib.Path(__file__).parent / "programs").glob("*.cpp"))
        programs = re.findall(r'\{"(\w+)", \w+\}', sources)
        self.assertGreater(len(programs), 40)
        self.assertEqual([name for name in programs if name not in lines], [])


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
