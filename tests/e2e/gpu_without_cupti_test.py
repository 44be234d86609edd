# SPDX-License-Identifier: Apache-2.0
"""The switch of tests/e2e/gpu that leaves a command no CUPTI, with a libcupti in the loader's path, one in a wheel's folder and
one that the caller opens by its full name; and what is recorded there."""

import json
import os
import shutil
import subprocess
import sys

import lab

SWITCH = lab.ROOT / "tests" / "e2e" / "gpu" / "without_cupti.sh"
EMULATED = lab.BUILD / "lib" / "cpu_platform"
NAME = "libcupti.so.13"
# Prints for each of its arguments whether it can be opened and has a function of CUPTI.
PROBE = """import ctypes, sys
for name in sys.argv[1:]:
    try:
        print('found' if hasattr(ctypes.CDLL(name), 'cuptiActivityEnable') else 'without functions')
    except OSError:
        print('none')
"""


class WithoutCupti(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wheel = cls.folder / "site-packages" / "nvidia" / "cu13" / "lib"
        cls.wheel.mkdir(parents=True)
        shutil.copy(EMULATED / NAME, cls.wheel / NAME)
        (cls.wheel / "libcupti.so").symlink_to(NAME)
        cls.environment = {**lab.emulated_gpu(), "PYTHONPATH": str(cls.wheel.parents[2])}
        tried = subprocess.run([SWITCH, "true"], env=cls.environment, text=True, capture_output=True, check=False)
        if tried.returncode == 77:
            cls.skipTest(cls, tried.stdout.strip())

    def probe(self, *before):
        names = [NAME, self.wheel / NAME, self.wheel / "libcupti.so", EMULATED / NAME]
        return lab.run([*before, sys.executable, "-c", PROBE, *names], environment=self.environment).stdout.split("\n")[:4]

    def test_none_can_be_opened_and_afterwards_all_are_back(self):
        self.assertEqual(self.probe(), ["found"] * 4)
        self.assertEqual(self.probe(SWITCH), ["none"] * 4)
        self.assertEqual(self.probe(SWITCH, "--loadable"), ["without functions"] * 4)
        self.assertEqual(self.probe(), ["found"] * 4)

    def test_other_libraries_of_the_same_folder_stay(self):
        words = [sys.executable, "-c", "import ctypes; ctypes.CDLL('libcudart.so.13').cudaGetDevice"]
        lab.run([SWITCH, *words], environment=self.environment)

    def test_the_command_is_run_as_it_stands(self):
        words = ["sh", "-c", 'printf "%s|" "$@"; env; exit 9', "sh", "a b", "--loadable"]
        done = lab.run([SWITCH, *words], expect=9, environment=self.environment)
        self.assertTrue(done.stdout.startswith("a b|--loadable|"))
        self.assertNotIn("RINGSIDE_IN_NAMESPACE", done.stdout)
        self.assertIn(str(self.wheel / NAME), done.stderr)

    def recorded(self, *switch):
        """(tiers, number of event times) of a run without CUPTI whose calls are to be timed by events."""
        directory = self.folder / f"run{len(switch)}.ringside"
        lab.run([*switch, lab.RINGSIDE, "record", "-o", directory, "--profile", "standard", "--cuda-events", "--",
                 *lab.trainer_command(20, ranks=1)], environment=self.environment)
        rows = json.loads(lab.run([lab.RINGSIDE, "query", directory, "SELECT tier, active, reason FROM tier", "--format", "json"]).stdout)
        times = json.loads(lab.run([lab.RINGSIDE, "query", directory, "SELECT count(*) AS n FROM event_time", "--format", "json"]).stdout)
        return {row["tier"]: (row["active"], row["reason"]) for row in rows}, times[0]["n"]

    def test_a_recording_says_why_and_events_stand_in(self):
        for switch, reason in (((SWITCH,), "libcupti.so.13 was not found"), ((SWITCH, "--loadable"), "libcupti has no cupti")):
            with self.subTest(reason):
                tiers, times = self.recorded(*switch)
                self.assertFalse(tiers["device"][0])
                self.assertIn(reason, tiers["device"][1])
                self.assertTrue(tiers["events"][0])
                self.assertGreater(times, 0)


if __name__ == "__main__":
    lab.main()
