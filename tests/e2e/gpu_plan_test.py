# SPDX-License-Identifier: Apache-2.0
"""The dry run of the plan for a machine with a GPU: every check on the CPU platform, with a torch and an nvidia-smi that are fakes
(fake_torch/), and what the plan does with little time, a signal, a check that fails and one that hangs."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import unittest

import lab

GPU = lab.ROOT / "tests" / "e2e" / "gpu"
FAKE = GPU.with_name("fake_torch")
sys.path.insert(0, str(GPU))
os.environ.update(RINGSIDE_GPU_PACK="", RINGSIDE_GPU_WORK="")
import check_report  # noqa: E402
import evidence  # noqa: E402
import plan  # noqa: E402

DRY_RUN_S = 480
# The device's and the host's times are those of this machine and what else it does: a check that only finds them strange has run whole.
TIMES = {"truth": "(lengths|clocks|NVML): ", "killed": "the last step begins", "profiler_inside": r"\d+ differences",
         "profiler_outside": r"\d+ differences", "two_ranks": r"\d+ differences", "overhead": "only", "start_and_end": "only"}
NO_NAMESPACE = "this machine allows no mount namespace"


def dry_environment(folder):
    """A machine with a GPU, as it seems to the plan."""
    script = folder / "nvml.txt"
    script.write_text("0 * gpu=97 memory=30 sm_clock=1410 sm_clock_max=1410 reasons=none power=300\n")
    return {**lab.emulated_gpu(FAKE / "device_model.conf"), "PATH": f"{FAKE}:{os.environ['PATH']}", "PYTHONPATH": str(FAKE),
            "FAKE_TORCH_LIBRARIES": str(lab.BUILD / "lib" / "fake_torch"), "RINGSIDE_NVML_SCRIPT": str(script), "OUT": str(folder / "out")}


def archives(out):
    """Names of the files in each of the archives."""
    found = []
    for path in sorted(out.glob("evidence-*.tar")):
        with tarfile.open(path) as archive:
            found.append(archive.getnames())
    return found


class Plan(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pack = cls.folder / "pack"
        print(lab.run([GPU / "pack.sh", lab.BUILD, cls.pack]).stdout, flush=True)
        if not (cls.pack / "bin" / lab.TRAINER.name).exists():
            shutil.copy(lab.TRAINER, cls.pack / "bin")  # one without GPU code does for the CPU platform

    def setUp(self):
        self.work = self.folder / self._testMethodName
        self.work.mkdir()
        self.out = self.work / "out"

    def start(self, *words):
        return subprocess.Popen(["bash", GPU / "run.sh", "--pack", self.pack, *map(str, words)], env=dry_environment(self.work),
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run_plan(self, *words):
        """(exit code, what was printed)"""
        process = self.start(*words)
        said, _ = process.communicate(timeout=DRY_RUN_S)
        return process.returncode, said

    def results(self):
        return {each["check"]: each for each in json.loads((self.out / "results.json").read_text())}

    def kept(self):
        """Names of all files that the checks left."""
        self.assertFalse((self.out / "running").exists())
        return [name for names in archives(self.out) for name in names]

    def test_the_pack_is_small_and_needs_nothing_but_the_c_library(self):
        carried = self.pack / "lib" / "carried"
        found = lab.run(["ldd", self.pack / "bin" / "ringside"], environment={**os.environ, "LD_LIBRARY_PATH": str(carried)}).stdout
        elsewhere = [line.split()[0] for line in found.splitlines() if " => " in line and str(carried) not in line]
        self.assertLessEqual({name.split(".")[0] for name in elsewhere}, {"libc", "libm", "libdl", "libpthread", "librt"})
        self.assertLess(sum(path.stat().st_size for path in self.pack.rglob("*") if path.is_file()), 64 << 20)

    def test_every_check_runs_to_its_end(self):
        begin = time.monotonic()
        _, said = self.run_plan("--within", DRY_RUN_S)
        print(f"{said}\nthe dry run took {time.monotonic() - begin:.0f} s", flush=True)
        results = self.results()
        self.assertEqual(list(results), [check.name for check in plan.PLAN])
        for name, each in results.items():
            with self.subTest(name):
                if each["state"] == "not reached":
                    self.assertIn(name, ("without_cupti", "without_cupti_torch"))
                    self.assertEqual(each["reason"], NO_NAMESPACE)
                elif each["state"] == "differs":
                    self.assertRegex(each["reason"], TIMES.get(name, "^$"))
        self.assertIn("Ringside emulated GPU", results["ddp"]["reason"])
        device = lab.run([FAKE / "nvidia-smi", "-L"]).stdout.strip()
        self.assertEqual((self.out / "results.txt").read_text().splitlines()[0], f"GPU: {device}")
        kept = self.kept()
        self.assertLessEqual({f"{name}/log.txt.gz" for name in results}, set(kept))
        for name in ("facts/nvidia-smi.txt.gz", "facts/torch.txt.gz", "overhead/slow_down.json.gz", "abi/abi.json.gz"):
            self.assertIn(name, kept)
        self.assertRegex("\n".join(kept), r"(?m)^ddp/ddp\.ringside/.*\.db\.gz$")
        self.assertLessEqual(len(list(self.out.iterdir())), 8)

    def test_what_the_time_does_not_suffice_for_is_not_reached(self):
        code, said = self.run_plan("--within", 30, "ddp", "truth")
        self.assertEqual(code, 0)
        self.assertEqual({name: each["state"] for name, each in self.results().items()},
                         {"facts": "seen", "ddp": "not reached", "truth": "not reached"})
        self.assertRegex(said, r"\nddp +not reached +0\.0 s  \d+ s were left, it needs 25 s\n")
        self.assertTrue(said.endswith("the rest: tests/e2e/gpu/run.sh ddp truth\n"), said[-200:])

    def test_a_signal_ends_the_plan_with_its_table_and_all_evidence(self):
        process = self.start("flight", "graphs_of_two")
        traces = self.until("a trace", lambda: list(self.out.glob("running/flight.ringside/*.db")))
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=lab.TIMEOUT_S)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertRegex(said, r"\nflight +not reached +[\d.]+ s  cut off by a signal\n")
        self.assertRegex(said, r"\ngraphs_of_two +not reached +0\.0 s  a signal ended the plan before\n")
        self.assertLessEqual({"facts/log.txt.gz", "flight/log.txt.gz", *(f"flight/flight.ringside/{path.name}.gz" for path in traces)},
                             set(self.kept()))
        for path in traces:
            self.assertFalse(pathlib.Path(f"/proc/{path.stem.rpartition('-')[2]}").exists(), "the job lives on")

    @unittest.skipIf(os.path.exists("/dev/nvidia0"), "there is a GPU here")
    def test_without_a_gpu_it_ends_with_77(self):
        self.assertIn("no NVIDIA GPU here", lab.run(["bash", GPU / "run.sh"], expect=77).stdout)

    def test_bad_words_are_refused(self):
        for words, refusal in ((("d",), "no check is called d; there are: facts, ddp"), (("--pack", self.work), "pack.sh BUILD")):
            code, said = self.run_plan(*words)
            self.assertEqual(code, 1)
            self.assertIn(refusal, said)

    def test_the_list_says_what_every_check_shows(self):
        listed = lab.run(["bash", GPU / "run.sh", "--list"]).stdout
        rows = re.findall(r"^(\w+) +(\d+) to +(\d+) s  (.+)$", listed, re.MULTILINE)
        self.assertEqual([row[0] for row in rows], [check.name for check in plan.PLAN])
        self.assertEqual({row[0] for row in rows}, {path.stem for path in (GPU / "checks").glob("*.py")})


# A child in a session of its own, as torchrun's workers are, that would outlive the check and say so.
STUCK = """import subprocess, time
print('a word before', flush=True)
subprocess.Popen(['sh', '-c', 'trap "" TERM; sleep 12; touch "$RINGSIDE_GPU_WORK/../outlived"'], start_new_session=True)
time.sleep(60)"""
MADE = {"facts": "open(__import__('os').environ['RINGSIDE_GPU_WORK'] + '/facts.json', 'w').write('{\"device\": \"made up\"}')",
        "failing": "print('a word before')\nraise SystemExit('no kernels')", "stuck": STUCK,
        "skipping": "print('no torch')\nraise SystemExit(77)", "measuring": "print(__import__('os').environ['RINGSIDE_GPU_SECONDS'])",
        "cut": "import time\ntime.sleep(60)"}
PROGRAM = """import sys, pathlib, plan
plan.CHECKS = pathlib.Path(sys.argv[1])
plan.PLAN = [plan.Check('facts', 1, 9), plan.Check('failing', 1, 9), plan.Check('stuck', 1, 2), plan.Check('skipping', 1, 9),
             plan.Check('measuring', 1, 100, True), plan.Check('cut', 1, 100)]
sys.exit(plan.main(sys.argv[2:]))"""


class MadeUpChecks(lab.Scenario):
    def test_each_end_is_told_with_its_reason(self):
        pack, out = self.folder / "pack", self.folder / "out"
        (pack / "bin").mkdir(parents=True)
        (pack / "bin" / "ringside").touch()
        for name, text in MADE.items():
            (self.folder / f"{name}.py").write_text(f'"""What {name} shows."""\n{text}\n')
        within_s = plan.CLOSING_S + 15
        begin = time.monotonic()
        said = lab.run([sys.executable, "-B", "-c", PROGRAM, self.folder, "--pack", pack, "--within", within_s], expect=1,
                       environment={**os.environ, "PYTHONPATH": str(GPU), "OUT": str(out)}).stdout
        self.assertLess(time.monotonic() - begin, within_s)
        results = {each["check"]: (each["state"], each["reason"]) for each in json.loads((out / "results.json").read_text())}
        seconds = results.pop("measuring")[1]
        self.assertLess(int(seconds), 15)  # of its 100, what the others leave
        self.assertRegex(results.pop("cut")[1], r"cut off after \d+ s: the plan's time was up")
        self.assertEqual(results, {
            "facts": ("seen", "it said nothing"), "failing": ("differs", "no kernels"), "skipping": ("not reached", "no torch"),
            "stuck": ("differs", "it ran past its time box of 2 s; before: a word before")})
        self.assertIn("GPU: made up\n", said)
        self.assertIn("\n2 seen, 2 differs, 2 not reached\n", said)
        self.assertFalse((out / "outlived").exists())


class Time(unittest.TestCase):
    CHECK = plan.Check("one", 10, 40)
    MEASURING = plan.Check("measuring", 30, 200, measuring=True)

    def test_a_check_has_its_box_or_what_is_left_and_is_not_begun_with_too_little(self):
        for left_s, given_s in ((100, 40), (30, 18), (22, 10), (21, None), (-5, None)):
            self.assertEqual(plan.time_of(self.CHECK, [], left_s), given_s, left_s)

    def test_a_measuring_check_leaves_the_others_what_they_need(self):
        for left_s, given_s in ((400, 200), (112, 80), (52, 30), (42, 30), (41, None)):
            self.assertEqual(plan.time_of(self.MEASURING, [self.CHECK, self.CHECK], left_s), given_s, left_s)

    def test_the_first_call_fits_up_to_the_checks_for_the_second(self):
        first = plan.PLAN[:[check.name for check in plan.PLAN].index("profiler_outside")]
        self.assertLessEqual(sum(check.needs_s for check in first), DRY_RUN_S - plan.CLOSING_S)


class Evidence(lab.Scenario):
    def test_what_does_not_fit_is_named_and_one_that_differs_has_an_archive_of_its_own(self):
        store = evidence.Store(self.folder / "out", self.folder)
        for name, state in (("first", "seen"), ("second", "seen"), ("third", "differs")):
            with store.begin() as log:
                log.write(b"said")
            for number in range(evidence.ARCHIVES):
                (store.running / f"{number}.db").write_bytes(os.urandom(evidence.ARCHIVE_BYTES * 6 // 10))
            store.end({"check": name, "state": state}, "table", [])
        names = archives(store.out)
        self.assertEqual(names[0], ["first/log.txt.gz", "first/0.db.gz", "second/log.txt.gz", "third/log.txt.gz"])
        self.assertEqual([len(each) for each in names[1:]], [1, 1, 1])
        self.assertRegex(names[-1][0], r"third/\d\.db\.gz")
        self.assertIn("no room for second/", (store.out / "results.txt").read_text())


class LastFlush(unittest.TestCase):
    """Launches at 10, 20 ... of steps of 100 each; the last have device work, or have not."""

    def complaints(self, ran, number_of_steps):
        steps = [{"start_ns": start, "end_ns": start + 99} for start in range(0, 100 * number_of_steps, 100)]
        launches = [{"start_ns": 10 * number + 5, "ran": number < ran} for number in range(200)]
        return list(check_report.flush_complaints(list(check_report.launches_of_steps(steps, launches)), 20))

    def test_a_whole_recording_has_nothing_against_it(self):
        self.assertEqual(self.complaints(ran=200, number_of_steps=20), [])

    def test_a_lost_last_flush_is_told_of_the_steps_that_it_took(self):
        self.assertEqual(self.complaints(ran=185, number_of_steps=20),
                         ["step 18: 5 of 10 launches have device work, of other steps 10",
                          "step 19: 0 of 10 launches have device work, of other steps 10"])

    def test_steps_that_were_not_recorded_are_told(self):
        self.assertEqual(self.complaints(ran=180, number_of_steps=18), ["18 of 20 steps were recorded"])


class FailedJob(lab.Scenario):
    """A job that failed when it was recorded is tried unrecorded."""

    def tried(self, script, expect):
        program = f"import gpu_lab; gpu_lab.BARE_LIMIT_S = 2; gpu_lab.explain(9, ['sh', '-c', {script!r}])"
        environment = {**os.environ, "PYTHONPATH": str(GPU), "RINGSIDE_GPU_PACK": "", "RINGSIDE_GPU_WORK": ""}
        done = lab.run([sys.executable, "-B", "-c", program], expect=expect, environment=environment)
        return (done.stdout + done.stderr).splitlines()[-1]

    def test_what_runs_unrecorded_differs(self):
        self.assertEqual(self.tried("echo fine", expect=1), "code 9 when recorded, 0 when not")

    def test_what_nccl_says_is_the_reason_why_a_job_was_not_reached(self):
        script = "echo 'NCCL WARN Duplicate GPU detected'; echo 'a last line'; exit 1"
        self.assertEqual(self.tried(script, expect=77), "the job does not run here, unrecorded too: NCCL WARN Duplicate GPU detected")

    def test_a_job_that_hangs_differs(self):
        self.assertEqual(self.tried("echo waiting; sleep 60", expect=1),
                         "code 9 when recorded, and unrecorded the job does not end within 2 s")


class TwoRanks(lab.Scenario):
    def test_they_are_hosts_of_their_own_for_nccl(self):
        words = "' '.join(os.environ[name] for name in ('RANK', 'WORLD_SIZE', 'NCCL_HOSTID', 'NCCL_NET'))"
        names = f"import os; os.write(1, ({words} + chr(10)).encode())"  # a line of each at once
        printed = lab.run([sys.executable, GPU / "jobs" / "two_ranks.py", "-c", names]).stdout
        self.assertEqual(sorted(printed.splitlines()), ["0 2 host0 Socket", "1 2 host1 Socket"])

    def test_where_one_fails_the_other_does_not_wait_for_it(self):
        script = "import os, time; time.sleep(1000) if os.environ['RANK'] == '0' else os._exit(3)"
        lab.run([sys.executable, GPU / "jobs" / "two_ranks.py", "-c", script], expect=1)


if __name__ == "__main__":
    lab.main()
