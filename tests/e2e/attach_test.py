# SPDX-License-Identifier: Apache-2.0
"""Jobs that were not started under Ringside: where their processes stand, and what their host does. Waiting is for things to happen,
never for a time."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import jsonschema

import lab
import ras_server

SCHEMAS = lab.ROOT / "analyzer" / "attach"
# Prints the stack that the process wrote into its own file, as py-spy would.
PY_SPY = """#!/bin/sh
echo "Process $4: python train.py"
echo 'Thread '$4' (idle): "MainThread"'
echo '    '"$(tr '\\0' '\\n' < /proc/$4/environ | sed -n 's/^PLACE=//p')"
"""
# A launcher, its ranks, and a worker of a data loader for each of them.
LAUNCHER = """
import os, subprocess, sys, time
places = sys.argv[1:]
for rank, place in enumerate(places):
    environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(len(places)), "PLACE": place}
    subprocess.Popen([sys.executable, "-c", "import subprocess, sys, time; subprocess.Popen(['sleep', '1000']); time.sleep(1000)", "train.py"],
                     env=environment)
time.sleep(1000)
"""


def schema(name):
    return json.loads((SCHEMAS / f"ringside-{name}-1.schema.json").read_text())


class Attach(lab.Scenario):
    def setUp(self):
        super().setUp()
        tools = pathlib.Path(self.folder) / "tools"
        tools.mkdir(exist_ok=True)
        (tools / "py-spy").write_text(PY_SPY)
        (tools / "py-spy").chmod(0o755)
        self.environment = {**lab.emulated_gpu(), "PATH": f"{tools}:{os.environ['PATH']}"}

    def start(self, command, environment=None):
        job = subprocess.Popen([str(word) for word in command], env=environment or self.environment, stdout=subprocess.DEVNULL,
                               start_new_session=True)
        self.addCleanup(self.end, job)
        return job

    def end(self, job):
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
        job.wait(timeout=lab.WAIT_S)

    def hang(self, pid):
        report = json.loads(lab.run([lab.RINGSIDE, "hang", "--pid", pid, "--format", "json"], environment=self.environment).stdout)
        jsonschema.validate(report, schema("attach"))
        return report

    def ranks_of(self, job, count):
        return self.until("all ranks", lambda: len(ranks := lab.rank_processes(job)) == count and ranks)

    def test_the_rank_that_stands_elsewhere_is_named(self):
        same = "synchronize (train.py:9)"
        job = self.start([sys.executable, "-c", LAUNCHER, same, "wait_for_batch (data.py:42)", same])
        self.ranks_of(job, 3)
        report = self.hang(job.pid)
        self.assertEqual([(each["rank"], each["stands"], each["look_first"]) for each in report["processes"]],
                         [(0, True, False), (1, True, True), (2, True, False)], report)
        self.assertIn("rank 1 stands in wait_for_batch (data.py:42)", report["summary"])
        verdict = report["hang"]
        jsonschema.validate(verdict, json.loads((lab.ROOT / "analyzer" / "hang" / "ringside-hang-1.schema.json").read_text()))
        self.assertEqual((verdict["verdict"]["kind"], [each["ranks"] for each in verdict["verdict"]["origins"]]), ("missing", [[1]]))
        self.assertEqual([(each["rank"], each["pid"], each["threads"][0]["in"]) for each in verdict["ranks"]],
                         [(each["rank"], each["pid"], each["place"]) for each in report["processes"]])
        page = lab.run([lab.RINGSIDE, "hang", "--pid", job.pid, "--format", "html"], environment=self.environment).stdout
        self.assertIn("wait_for_batch (data.py:42)", page)
        done = lab.run([lab.RINGSIDE, "hang", "--pid", job.pid, "--fail"], environment=self.environment, expect=1)
        self.assertIn("rank 1 stands in", " ".join(done.stdout.split()))
        view = json.loads(lab.run([lab.RINGSIDE, "top", "--host", "--json"], environment=self.environment).stdout)
        jsonschema.validate(view, schema("host"))
        here = {each["pid"] for each in report["processes"]}
        self.assertEqual([each["rank"] for each in view["processes"] if each["pid"] in here], [0, 1, 2])

    def test_ranks_of_another_job_hide_none(self):
        """Of ranks with the same number, those of the one job use a GPU and those of the other do not."""
        trains = self.start(lab.trainer_command(100000, ranks=2, extra=("--timeout", 3600)))
        stands = self.start([sys.executable, "-c", LAUNCHER, *2 * ["synchronize (train.py:9)"]])
        self.ranks_of(stands, 2)
        here = {*self.ranks_of(trains, 2).values(), *(each["pid"] for each in self.hang(stands.pid)["processes"])}
        view = json.loads(lab.run([lab.RINGSIDE, "top", "--host", "--json"], environment=self.environment).stdout)
        self.assertEqual(sorted(each["rank"] for each in view["processes"] if each["pid"] in here), [0, 0, 1, 1])

    def test_nccls_ras_is_asked_where_ranks_stand(self):
        server = ras_server.RasServer(lambda: ({rank: 7 - (rank == 1) for rank in self.pids}, self.pids))
        self.addCleanup(server.close)
        self.environment["NCCL_RAS_ADDR"] = server.address
        self.pids = {}
        job = self.start([sys.executable, "-c", LAUNCHER, *3 * ["synchronize (train.py:9)"]])
        self.ranks_of(job, 3)
        self.pids = {each["rank"]: each["pid"] for each in self.hang(job.pid)["processes"]}
        report = self.hang(job.pid)
        self.assertFalse(any(each["look_first"] for each in report["processes"]), report["summary"])
        self.assertEqual(report["ras"]["blamed"], [1], report["ras"])
        verdict = report["hang"]["verdict"]
        self.assertEqual((verdict["kind"], verdict["origins"][0]["ranks"], verdict["confidence"]), ("missing", [1], "low"), verdict)
        text = lab.run([lab.RINGSIDE, "hang", "--pid", job.pid], environment=self.environment).stdout
        self.assertIn("rank 1 launched 6,", text)

    def test_a_stopped_rank_of_the_trainer_is_named(self):
        job = self.start(lab.trainer_command(100000, ranks=2, extra=("--timeout", 3600)))
        ranks = self.ranks_of(job, 2)
        os.kill(ranks[1], signal.SIGSTOP)
        self.until("the stop", lambda: pathlib.Path(f"/proc/{ranks[1]}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T")
        report = self.hang(job.pid)
        self.assertEqual([each["pid"] for each in report["processes"]], [ranks[0], ranks[1]])
        self.assertIn("rank 1 is stopped by a signal or a debugger", report["summary"])
        self.assertIn("emulated", report["gpus"]["list"][0]["name"])
        os.kill(ranks[1], signal.SIGCONT)
        self.assertIsNone(job.poll(), "the job did not survive the look")

    def test_who_uses_a_gpu_is_seen(self):
        sleeper = self.start(["sleep", "1000"])
        script = pathlib.Path(self.folder) / "nvml.txt"
        script.write_text(f"0 * gpu=97 memory=1 memory_total=8e10 memory_used=2e10 sm_clock=300 sm_clock_max=1980 power=120 temperature=91 "
                          f"reasons=hw_thermal process={sleeper.pid}:1000000\n")
        self.environment["RINGSIDE_NVML_SCRIPT"] = str(script)
        view = json.loads(lab.run([lab.RINGSIDE, "top", "--host", "--json"], environment=self.environment).stdout)
        process = next(each for each in view["processes"] if each["pid"] == sleeper.pid)
        self.assertEqual(process["program"], "sleep")
        self.assertIn(0, process["gpus"])
        gpu = view["gpus"]["list"][0]
        self.assertEqual((gpu["utilization_percent"], gpu["power_mw"], gpu["wrong"]), (97, 120000, "clocks held down by heat"))
        self.assertIsNone(view["dcgm"])
        dcgm = pathlib.Path(self.folder) / "dcgm.txt"
        dcgm.write_text('DCGM_FI_PROF_SM_ACTIVE{gpu="0",Hostname="n1"} 0.125\n')
        text = lab.run([lab.RINGSIDE, "top", "--host", "--once", "--dcgm", dcgm], environment=self.environment).stdout
        self.assertRegex(text, r"From DCGM:\n.*SMs active.*\n +0 +12.5 %")
        self.assertIn("GPU 0: clocks held down by heat", text)

    def test_a_stuck_driver_does_not_hang_the_look(self):
        script = pathlib.Path(self.folder) / "stuck.txt"
        script.write_text("0 * gpu=97 memory=1 blocks=1\n")
        self.environment["RINGSIDE_NVML_SCRIPT"] = str(script)
        view = json.loads(lab.run([lab.RINGSIDE, "top", "--host", "--json"], environment=self.environment).stdout)
        self.assertEqual(view["gpus"]["list"], [])
        self.assertIn("NVML", view["gpus"]["reason"])

    def test_mistakes_are_explained(self):
        done = lab.run([lab.RINGSIDE, "hang", "--pid", 2**22 + 1], expect=3)
        self.assertIn("no process 4194305 on this machine", done.stderr)
        done = lab.run([lab.RINGSIDE, "hang"], expect=2)
        self.assertIn("--pid", done.stderr)
        done = lab.run([lab.RINGSIDE, "top", "run.ringside", "--host"], expect=2)
        self.assertIn("--host shows this machine", done.stderr)


if __name__ == "__main__":
    lab.main()
