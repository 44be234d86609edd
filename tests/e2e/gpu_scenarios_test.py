# SPDX-License-Identifier: Apache-2.0
"""The script for machines with a GPU, without one: scenarios are listed and chosen by name, each has its limit, what it left is
packed, and a scenario on the emulated platform fails for that reason alone."""

import contextlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import unittest
from unittest import mock

import lab

GPU = lab.ROOT / "tests" / "e2e" / "gpu"
sys.path.insert(0, str(GPU))
os.environ.update(RINGSIDE_GPU_BUNDLE="", RINGSIDE_GPU_WORK="")
import check_report  # noqa: E402
import packing  # noqa: E402
import runner  # noqa: E402

GOOD = "open(__import__('os').environ['RINGSIDE_GPU_WORK'] + '/figures.json', 'w').write('[1]')\n"
# Its child would outlive it, and say so.
STUCK = "import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 3; touch \"$RINGSIDE_GPU_WORK/outlived\"'])\nimport time\ntime.sleep(60)\n"
SKIPPING = "print('skipped: no torch')\nraise SystemExit(77)\n"
FAILING = "print('a word before')\nraise SystemExit('failed: no kernels')\n"


class Runner(lab.Scenario):
    def setUp(self):
        self.made = self.folder / self._testMethodName / "scenarios"
        self.bundle = self.made.parent / "bundle"
        self.out = self.made.parent / "out"
        self.made.mkdir(parents=True)
        (self.bundle / "bin").mkdir(parents=True)
        (self.bundle / "bin" / "ringside").touch()

    def scenario(self, name, text, limit_s=20):
        (self.made / f"{name}.py").write_text(f'"""What {name} shows."""\n\nLIMIT_S = {limit_s}\n{text}')

    def run_scenarios(self, *words):
        """(exit code, what was printed)"""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), mock.patch.dict(os.environ, OUT=str(self.out), TMPDIR=str(self.made.parent)), \
                mock.patch("tempfile.tempdir", str(self.made.parent)):
            code = runner.main(["--bundle", str(self.bundle), *words], self.made)
        return code, printed.getvalue()

    def results(self):
        return {each["scenario"]: (each["state"], each["reason"]) for each in json.loads((self.out / "results.json").read_text())}

    def test_each_end_is_told_with_its_reason(self):
        for name, text in (("good", GOOD), ("skipping", SKIPPING), ("failing", FAILING)):
            self.scenario(name, text)
        code, printed = self.run_scenarios()
        self.assertEqual(code, 1)
        self.assertEqual(self.results(), {"good": ("passed", ""), "skipping": ("skipped", "skipped: no torch"),
                                          "failing": ("failed", "failed: no kernels")})
        self.assertRegex(printed, r"skipping +skipped +[0-9.]+ s  skipped: no torch\n")
        self.assertIn("a word before", printed)

    def test_only_those_named_run_in_that_order(self):
        for name in ("a", "b", "c"):
            self.scenario(name, GOOD)
        self.assertEqual(self.run_scenarios("c", "a")[0], 0)
        self.assertEqual(list(self.results()), ["c", "a"])
        with self.assertRaisesRegex(SystemExit, "no scenario is called d; there are: a, b, c"):
            self.run_scenarios("a", "d")

    def test_the_list_runs_nothing(self):
        self.scenario("failing", FAILING, limit_s=25)
        self.scenario("good", GOOD, limit_s=30)
        code, printed = self.run_scenarios("--list")
        self.assertEqual(code, 0)
        self.assertRegex(printed, r"failing +25 s +What failing shows\.\ngood +30 s +What good shows\.\nall +55 s")
        self.assertFalse(self.out.exists())

    def test_a_limit_ends_a_scenario_and_its_children_and_the_next_one_runs(self):
        self.scenario("first", STUCK, limit_s=1)
        self.scenario("second", "import time\ntime.sleep(4)\n")  # longer than the child of the first
        self.assertEqual(self.run_scenarios()[0], 1)
        self.assertEqual(self.results(), {"first": ("failed", "it ran past its limit of 1 s"), "second": ("passed", "")})
        self.assertEqual(list(self.made.parent.rglob("outlived")), [])

    def test_without_a_bundle_it_says_how_to_make_one(self):
        self.scenario("good", GOOD)
        with self.assertRaisesRegex(SystemExit, "bundle.sh BUILD"):
            runner.main(["--bundle", str(self.folder / "nothing")], self.made)

    def test_what_was_left_is_packed_and_what_does_not_fit_is_named(self):
        work = self.made.parent / "work"
        run = work / "one" / "job.ringside"
        run.mkdir(parents=True)
        (work / "results.txt").write_text("table")
        (work / "one" / "log").write_text("said")
        (run / "small.db").write_bytes(b"1" * 100)
        (run / "large.db").write_bytes(b"1" * 1000)
        packing.pack(work, self.out, limit_bytes=500)
        names = {name: tarfile.open(self.out / name).getnames() for name in ("logs.tar.gz", "traces.tar.gz")}
        self.assertEqual(names, {"logs.tar.gz": ["one/log"], "traces.tar.gz": ["one/job.ringside/small.db"]})
        self.assertEqual((self.out / "left_out.txt").read_text(), "one/job.ringside/large.db 1000 bytes\n")
        self.assertEqual((self.out / "results.txt").read_text(), "table")


class LastFlush(unittest.TestCase):
    """Launches at 10, 20 ... of steps of 100 each; the last have device work, or have not."""

    def complaints(self, ran, number_of_steps):
        steps = [{"start_ns": at, "end_ns": at + 99} for at in range(0, 100 * number_of_steps, 100)]
        launches = [{"start_ns": 10 * number, "ran": int(number < ran)} for number in range(10 * number_of_steps)]
        return list(check_report.flush_complaints(list(check_report.launches_of_steps(steps, launches)), 20))

    def test_a_whole_recording_has_nothing_against_it(self):
        self.assertEqual(self.complaints(ran=200, number_of_steps=20), [])

    def test_a_lost_last_flush_is_told_of_the_steps_that_it_took(self):
        self.assertEqual(self.complaints(ran=185, number_of_steps=20),
                         ["step 18: 5 of 10 launches have device work, of other steps 10",
                          "step 19: 0 of 10 launches have device work, of other steps 10"])

    def test_steps_that_were_not_recorded_are_told(self):
        self.assertEqual(self.complaints(ran=180, number_of_steps=18), ["18 of 20 steps were recorded"])


class NeededJob(lab.Scenario):
    """A job that a scenario first tries without us."""

    def tried(self, script, expect):
        program = f"import gpu_lab; gpu_lab.need_job(['sh', '-c', {script!r}], limit_s=2); print('goes on')"
        environment = {**os.environ, "PYTHONPATH": str(GPU), "RINGSIDE_GPU_BUNDLE": "", "RINGSIDE_GPU_WORK": ""}
        return lab.run([sys.executable, "-B", "-c", program], expect=expect, environment=environment).stdout.splitlines()[-1]

    def test_what_runs_goes_on(self):
        self.assertEqual(self.tried("echo fine", expect=0), "goes on")

    def test_what_nccl_says_is_the_reason(self):
        script = "echo 'NCCL WARN Duplicate GPU detected'; echo 'a last line'; exit 1"
        self.assertEqual(self.tried(script, expect=77),
                         "skipped: the job does not run here, unrecorded too: NCCL WARN Duplicate GPU detected")

    def test_a_job_that_hangs_is_ended(self):
        self.assertEqual(self.tried("echo waiting; sleep 60", expect=77), "skipped: the job does not run here, unrecorded too: waiting")


class ScenarioScript(lab.Scenario):
    """run.sh with the real scenarios, and those of the trainer on the emulated platform."""

    def test_every_scenario_says_what_it_shows_and_has_its_limit(self):
        listed = lab.run(["bash", GPU / "run.sh", "--list"]).stdout
        rows = re.findall(r"^(\w+) +(\d+) s  (.+)$", listed, re.MULTILINE)
        self.assertEqual([name for name, _, _ in rows], [*sorted(path.stem for path in (GPU / "scenarios").glob("*.py")), "all"])
        for name, limit_s, _ in rows[:-1]:
            self.assertLess(int(limit_s), 600, name)  # what a call may take

    @unittest.skipIf(os.path.exists("/dev/nvidia0"), "there is a GPU here")
    def test_without_a_gpu_it_ends_with_77(self):
        self.assertIn("no NVIDIA GPU here", lab.run(["bash", GPU / "run.sh"], expect=77).stdout)

    def emulated(self, *names):
        """{scenario: (state, reason)} of scenarios on the emulated platform, found through the caller's LD_LIBRARY_PATH alone."""
        bundle, out = self.folder / "bundle", self.folder / "out"
        if not bundle.exists():
            (bundle / "bin").mkdir(parents=True)
            for program in (lab.RINGSIDE, lab.TRAINER):
                (bundle / "bin" / program.name).symlink_to(program)
        environment = {**lab.emulated_gpu(), "OUT": str(out), "TMPDIR": str(self.folder)}
        del environment["RINGSIDE_DEVICE_MODEL"]  # as fast as it goes
        subprocess.run([sys.executable, "-B", GPU / "runner.py", "--bundle", bundle, *names], env=environment, check=False,
                       timeout=lab.TIMEOUT_S * 2)
        return {each["scenario"]: (each["state"], each["reason"]) for each in json.loads((out / "results.json").read_text())}

    def test_on_the_emulated_platform_the_trainer_fails_for_that_alone(self):
        only = ("failed", "failed: the run carries the label emulated")
        names = ("trainer_deep", "trainer_flight", "trainer_window")
        self.assertEqual(self.emulated(*names), {name: only for name in names})

    def test_without_cupti_the_trainer_passes_also_on_the_emulated_platform(self):
        state, reason = self.emulated("without_cupti")["without_cupti"]
        self.assertIn((state, reason), [("passed", ""), ("skipped", "skipped: this machine allows no mount namespace")])

    def test_pytorch_without_a_gpu_is_skipped_with_its_reason(self):
        reason = "no torch" if importlib.util.find_spec("torch") is None else "torch sees no GPU"
        names = [path.stem for path in (GPU / "scenarios").glob("*.py")
                 if not path.stem.startswith("trainer_") and path.stem != "without_cupti"]
        self.assertEqual(self.emulated(*names), dict.fromkeys(names, ("skipped", f"skipped: {reason}")))


if __name__ == "__main__":
    lab.main()
