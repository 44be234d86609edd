# SPDX-License-Identifier: Apache-2.0
"""The PyTorch jobs of tests/e2e/gpu on the CPU with Gloo: each that can run there trains, and prints what the scenarios read."""

import importlib.util
import json
import os
import socket
import sys
import unittest

import lab

GPU = lab.ROOT / "tests" / "e2e" / "gpu"
LAUNCHER = {"MASTER_ADDR": "127.0.0.1", "RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "OMP_NUM_THREADS": "1"}

CPU = ("--cpu", "--width", 16, "--time-from", 2)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch (Debian: python3-torch) is not installed")
class Jobs(lab.Scenario):
    def result(self, script, *options):
        words = [sys.executable, "-B", GPU / "jobs" / script, *options]
        printed = lab.run(words, environment={**os.environ, **LAUNCHER, "MASTER_PORT": str(free_port())}).stdout
        return json.loads([line for line in printed.splitlines() if line.startswith('{"')][-1])

    def test_ddp_trains_and_tells_the_time_of_a_step(self):
        result = self.result("ddp.py", *CPU, "--steps", 6)
        self.assertEqual(result["steps"], 6)
        self.assertGreater(result["step_ns"], 0)
        self.assertLess(self.result("ddp.py", *CPU, "--steps", 60)["loss"], result["loss"])

    def test_a_profiled_job_leaves_a_trace_of_its_steps_and_parts(self):
        trace = self.folder / "profiled.trace.json"
        self.result("profiled.py", *CPU, "--steps", 40, "--profile-from", 8, "--trace", trace)
        written = json.loads(trace.read_text())
        # Debian's PyTorch is built without Kineto and writes the bare list of events.
        names = [event["name"] for event in (written["traceEvents"] if isinstance(written, dict) else written)]
        for part in ("copy", "forward", "backward", "optimizer"):
            self.assertEqual(names.count(f"job:{part}"), 20)
        for number in range(8, 28):
            self.assertIn(f"job:step#{number}", names)

    def test_two_ranks_are_hosts_of_their_own_for_nccl_and_train_together(self):
        trace = self.folder / "two.trace.json"
        result = self.result("two_ranks.py", GPU / "jobs" / "profiled.py", *CPU, "--steps", 40, "--profile-from", 8, "--trace", trace)
        self.assertEqual(result["steps"], 40)
        self.assertTrue(trace.exists())
        words = "' '.join(os.environ[name] for name in ('RANK', 'WORLD_SIZE', 'NCCL_HOSTID', 'NCCL_NET'))"
        names = f"import os; os.write(1, ({words} + chr(10)).encode())"  # a line of each at once
        printed = lab.run([sys.executable, GPU / "jobs" / "two_ranks.py", "-c", names]).stdout
        self.assertEqual(sorted(printed.splitlines()), ["0 2 host0 Socket", "1 2 host1 Socket"])

    def test_where_one_rank_fails_the_other_does_not_wait_for_it(self):
        script = "import os, time; time.sleep(1000) if os.environ['RANK'] == '0' else os._exit(3)"
        lab.run([sys.executable, GPU / "jobs" / "two_ranks.py", "-c", script], expect=1)

    def test_jobs_that_need_a_gpu_are_at_least_programs(self):
        for script in (GPU / "jobs").glob("*.py"):
            with self.subTest(script.name):
                compile(script.read_text(), script, "exec")


if __name__ == "__main__":
    lab.main()
