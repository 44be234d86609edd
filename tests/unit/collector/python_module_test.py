# SPDX-License-Identifier: Apache-2.0
"""The Python module in a program, without and with the preloaded collector: python_module_test.py MODULE_DIR COLLECTOR RINGSIDE."""
import glob
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

MODULE_DIR, COLLECTOR, RINGSIDE = sys.argv[1:4]

# A loader that keeps the program waiting, as one whose workers are too slow.
PROGRAM = """
import os, time
import ringside

class Loader:
    batch_size = 32
    def __len__(self):
        return 5
    def __iter__(self):
        for batch in range(5):
            time.sleep(0.02)
            yield batch

loader = ringside.watch(Loader())
assert len(loader) == 5 and loader.batch_size == 32
ringside.set_rank(3, 4)
seen = list(ringside.steps(loader, start=1))
with ringside.step(6), ringside.range("evaluation"):
    ringside.annotate("best so far \u2713")
ringside.step_begin(7)
ringside.step_end()
if os.fork() == 0:  # as a DataLoader's worker
    ringside.annotate("in a worker")
    list(ringside.steps(ringside.watch([1, 2])))
    os._exit(0)
os.wait()
print(seen)
"""


class PythonModule(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.run_directory = os.path.join(self.folder.name, "run.ringside")

    def run_program(self, program, **more):
        environment = {**os.environ, "PYTHONPATH": MODULE_DIR, "RINGSIDE_DIR": self.run_directory, **more}
        done = subprocess.run([sys.executable, "-B", "-c", program], env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def rows(self, sql):
        files = glob.glob(self.run_directory + "/*.db")
        self.assertEqual(len(files), 1, "the forked worker records nothing")
        with sqlite3.connect(f"file:{files[0]}?mode=ro", uri=True) as database:
            return database.execute(sql).fetchall()

    def ranges(self, name):
        return self.rows("SELECT r.end_ns - r.start_ns, r.flavour, d.text FROM user_range r JOIN string n ON n.id = r.name_id "
                         f"JOIN string d ON d.id = r.domain_id WHERE n.text = '{name}' ORDER BY r.start_ns")

    def test_nothing_happens_without_the_collector(self):
        self.assertEqual(self.run_program(PROGRAM), "[0, 1, 2, 3, 4]\n")
        self.assertFalse(os.path.exists(self.run_directory))

    def test_steps_waits_and_marks_are_in_the_trace(self):
        self.assertEqual(self.run_program(PROGRAM, LD_PRELOAD=COLLECTOR), "[0, 1, 2, 3, 4]\n")
        self.assertEqual(self.rows("SELECT number FROM step_mark ORDER BY start_ns"), [(number,) for number in (1, 2, 3, 4, 5, 6, 7)])
        waits = self.ranges("data loading")
        self.assertEqual(len(waits), 7)  # asking for the iterator, five items, and that there is no sixth
        self.assertTrue(all(duration >= 20_000_000 for duration, _, _ in waits[1:6]), waits)
        self.assertEqual({(flavour, domain) for _, flavour, domain in waits}, {(1, "ringside")})
        self.assertEqual(len(self.ranges("evaluation")), 1)
        self.assertEqual(self.ranges("best so far \u2713"), [(0, 3, "ringside")])
        self.assertEqual(self.ranges("in a worker"), [])
        self.assertEqual(self.rows("SELECT rank, world_size, source FROM rank"), [(3, 4, "api")])
        # A step waits for its successor's batch: the waits lie inside the steps.
        self.assertEqual(self.rows("SELECT count(*) FROM step_mark s JOIN user_range r ON r.start_ns >= s.start_ns AND r.end_ns <= s.end_ns "
                                   "JOIN string n ON n.id = r.name_id AND n.text = 'data loading'"), [(5,)])

    def test_the_report_counts_the_steps(self):
        self.run_program(PROGRAM, LD_PRELOAD=COLLECTOR)
        report = subprocess.run([RINGSIDE, "report", "--format", "json", self.run_directory], capture_output=True, text=True, check=True)
        report = json.loads(report.stdout)
        self.assertEqual(report["coverage"]["steps"]["total"], 7)
        self.assertEqual([rank["rank"] for rank in report["ranks"]] or report["run"]["ranks_present"], [3])

    def test_a_pause_leaves_out_what_is_in_it_and_counts_its_steps(self):
        program = """
import ringside
for number in (1, 2, 3):
    with ringside.step(number), ringside.range("training"):
        pass
ringside.pause()
with ringside.step(4), ringside.range("evaluation"):
    ringside.annotate("best so far")
ringside.resume()
for number in (5, 6):
    with ringside.step(number), ringside.range("training"):
        pass
"""
        self.run_program(program, LD_PRELOAD=COLLECTOR, RINGSIDE_PROFILE="light")
        self.assertEqual(self.rows("SELECT number FROM step_mark ORDER BY start_ns"), [(1,), (2,), (3,), (5,), (6,)])
        self.assertEqual(len(self.ranges("training")), 5)
        self.assertEqual((self.ranges("evaluation"), self.ranges("best so far")), ([], []))
        self.assertEqual(self.rows("SELECT level, why FROM window ORDER BY start_ns"),
                         [("light", ""), ("paused", "the program called ringside_pause()"), ("light", "")])
        # Its sixth step, although only five are recorded.
        self.run_directory += ".window"
        self.run_program(program, LD_PRELOAD=COLLECTOR, RINGSIDE_PROFILE="light", RINGSIDE_START_STEP="6", RINGSIDE_STEPS="1")
        self.assertEqual(self.rows("SELECT number FROM step_mark"), [(6,)])

    def test_an_error_in_the_loader_reaches_the_program(self):
        program = """
import ringside
def broken():
    yield 1
    raise ValueError("no such sample")
try:
    list(ringside.steps(ringside.watch(broken())))
except ValueError as error:
    print(error)
"""
        self.assertEqual(self.run_program(program, LD_PRELOAD=COLLECTOR), "no such sample\n")
        self.assertEqual(len(self.ranges("data loading")), 3)

    def test_leaving_a_loop_ends_its_step(self):
        program = """
import ringside
for item in ringside.steps([1, 2, 3]):
    if item == 2:
        break
"""
        self.run_program(program, LD_PRELOAD=COLLECTOR)
        self.assertEqual(self.rows("SELECT number FROM step_mark ORDER BY number"), [(0,), (1,)])


unittest.main(argv=sys.argv[:1], verbosity=1)
