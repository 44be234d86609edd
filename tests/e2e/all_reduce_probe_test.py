# SPDX-License-Identifier: Apache-2.0
"""`ringside probe --all-reduce`: measures the NCCL that a program would load, here the emulated one, and stores the curve in a run, whose
report is then compared with it. Without a GPU, the command reports that nothing was measured."""

import json
import os
import unittest

import lab

GPUS = 2


class AllReduceProbe(lab.Scenario):
    def probe(self, *arguments, environment=None):
        return lab.run([lab.RINGSIDE, "probe", "--all-reduce", "--mib", 1, *arguments],
                       environment=environment or {**lab.emulated_gpu(), "RINGSIDE_PLATFORM_DEVICES": str(GPUS)}).stdout

    def test_the_curve_of_the_emulated_nccl_is_called_emulated(self):
        curve = json.loads(self.probe("--format", "json"))
        self.assertEqual((curve["missing"], curve["stopped"], curve["emulated"], curve["gpus"]), (None, None, True, GPUS))
        self.assertEqual([point["bytes"] for point in curve["points"]], [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20])
        for point in curve["points"]:
            self.assertGreater(point["ns"], 0)
            self.assertAlmostEqual(point["bus_gb_s"], point["bytes"] / point["ns"], places=6)  # 2(n-1)/n is 1
        self.assertIn("2 emulated GPUs", self.probe())

    def test_without_a_gpu_nothing_is_measured_and_it_says_why(self):
        without = {**lab.emulated_gpu(), "RINGSIDE_PLATFORM_DEVICES": "0"}
        self.assertIn("not measured: no GPU", self.probe(environment=without))
        nowhere = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        self.assertIn("not measured: ", self.probe(environment=nowhere))

    def test_it_is_kept_in_the_run(self):
        run = self.training("run", steps=12, ranks=GPUS)
        self.probe("--into", run)
        rows = json.loads(lab.run([lab.RINGSIDE, "query", run, "--format", "json",
                                   "SELECT entity FROM series WHERE source = 'probe' AND metric = 'bus_bytes_per_s'"]).stdout)
        self.assertEqual(len(rows), 6)
        self.assertEqual(len(lab.report(run)["ranks"]), GPUS, "the probe is no rank")


if __name__ == "__main__":
    lab.main()
