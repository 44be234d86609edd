# SPDX-License-Identifier: Apache-2.0
"""Python with PyTorch, DDP over Gloo and no GPU: the collector is silent and harmless, and the job computes the same bits."""

import importlib.util
import os
import sys
import unittest

import lab

TRAINING = lab.ROOT / "tests" / "e2e" / "ddp_gloo.py"


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch (Debian: python3-torch) is not installed")
class PyTorch(lab.Scenario):
    def command(self):
        return [sys.executable, TRAINING]

    def environment(self, **more):
        return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}

    def test_nothing_changes_and_nothing_is_said(self):
        bare = lab.run(self.command(), environment=self.environment())
        directory = self.folder / "silent.ringside"
        recorded = lab.record(directory, self.command(), environment=self.environment())
        self.assertIn("parameters", bare.stdout)
        self.assertEqual(recorded.stdout, bare.stdout)
        self.assertNotIn("ringside[", recorded.stderr)
        self.assertIn("nothing recorded", recorded.stderr)
        self.assertEqual([each.name for each in directory.iterdir()], [])

    def test_a_failing_job_fails_as_before(self):
        command = [sys.executable, "-c", "import torch, sys; torch.ones(3).sum(); sys.exit(9)"]
        lab.record(self.folder / "failing.ringside", command, expect=9, environment=self.environment())


if __name__ == "__main__":
    lab.main()
