# SPDX-License-Identifier: Apache-2.0
"""The parallel layout of a job in options and reports: parallel_test.py RINGSIDE PARALLEL_JOBS SCHEMA."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

RINGSIDE, PARALLEL_JOBS = sys.argv.pop(1), sys.argv.pop(1)
SCHEMA = json.loads(pathlib.Path(sys.argv.pop(1)).read_text())
SEED = 26  # a slow stage in a pipeline with replicas and tensor groups


def run(*words, expect=0):
    done = subprocess.run(words, text=True, capture_output=True, timeout=120)
    if done.returncode != expect:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done


class Parallel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.whole, cls.part = cls.folder / "whole.ringside", cls.folder / "part.ringside"
        cls.truth = json.loads(run(PARALLEL_JOBS, str(SEED), cls.whole).stdout)
        run(PARALLEL_JOBS, str(SEED), cls.part)
        for left_out in sorted(cls.part.iterdir())[3:]:
            left_out.unlink()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def report(self, path, *words):
        report = json.loads(run(RINGSIDE, "report", path, "--format", "json", *words).stdout)
        jsonschema.validate(report, SCHEMA)
        return report

    def test_the_layout_is_found_and_printed(self):
        report = self.report(self.whole)
        found = report["run"]["parallel"]
        self.assertEqual(found["source"], "found")
        self.assertEqual(found["pp"] * found["dp"] * found["tp"], report["run"]["world_size"])
        slow = [each["place"]["stage"] for each in report["ranks"] if each["rank"] in self.truth["ranks"]]
        self.assertEqual(len(set(slow)), 1)
        text = run(RINGSIDE, "report", "--all", self.whole).stdout
        self.assertIn(f"Stage {slow[0]} of {found['pp']}", " ".join(text.split()))
        self.assertRegex(text, r"rank +stage +replica")

    def test_a_recording_of_a_few_ranks_is_told(self):
        self.assertIsNone(self.report(self.part)["run"]["parallel"])
        sizes = {key: size for key, size in self.report(self.whole)["run"]["parallel"].items() if key in ("tp", "pp")}
        told = self.report(self.part, "--parallel", ",".join(f"{key}={size}" for key, size in sizes.items()))
        self.assertEqual(told["run"]["parallel"]["source"], "told")
        settings = self.folder / "ringside.toml"
        settings.write_text("[parallel]\n" + "".join(f"{key} = {size}\n" for key, size in sizes.items()))
        self.assertEqual(self.report(self.part, "--config", settings)["ranks"], told["ranks"])

    def test_what_does_not_fit_is_refused(self):
        for sizes, words in (("tp=7", "24 ranks are no whole number"), ("tp", "no size of a parallel dimension"), ("x=2", "Write tp=8,pp=4")):
            self.assertIn(words, " ".join(run(RINGSIDE, "report", self.part, "--parallel", sizes, expect=2).stderr.split()))
        settings = self.folder / "wrong.toml"
        settings.write_text("[parallel]\ntp = \"8\"\n")
        self.assertIn("'tp' is not a number", run(RINGSIDE, "report", self.part, "--config", settings, expect=2).stderr)

    def test_a_topology_is_read_or_refused_with_its_line(self):
        topology = self.folder / "topology.conf"
        topology.write_text("SwitchName=leaf1 Nodes=node[0-1]\nSwitchName=leaf2 Nodes=node[2-3]\n", encoding="utf-8")
        self.assertEqual(self.report(self.whole, "--topology", topology)["ranks"], self.report(self.whole)["ranks"])
        topology.write_text("SwitchName=leaf1 Nodes=node[1-\n", encoding="utf-8")
        refused = run(RINGSIDE, "report", self.whole, "--topology", topology, expect=2).stderr
        self.assertIn(f"--topology {topology}: line 1 of the topology", refused)
        self.assertIn("topology.conf", refused)
        self.assertIn("No such file", run(RINGSIDE, "report", self.whole, "--topology", self.folder / "none", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
