# SPDX-License-Identifier: Apache-2.0
"""Steps without marks, as users see them: steps_by_test.py RINGSIDE STEP_PATTERNS SCHEMA README."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

RINGSIDE, STEP_PATTERNS = sys.argv.pop(1), sys.argv.pop(1)
SCHEMA = json.loads(pathlib.Path(sys.argv.pop(1)).read_text())
README = pathlib.Path(sys.argv.pop(1)).read_text()


def run(*words, expect=0):
    done = subprocess.run(words, text=True, capture_output=True, timeout=120)
    if done.returncode != expect:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done


class StepsBy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.run_path = f"{cls.temporary.name}/fsdp.ringside"
        run(STEP_PATTERNS, "FSDP", cls.run_path)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def steps(self, *words):
        report = json.loads(run(RINGSIDE, "report", self.run_path, "--format", "json", *words).stdout)
        jsonschema.validate(report, SCHEMA)
        return report["coverage"]["steps"]

    def refused(self, command, by, words):
        done = run(RINGSIDE, command, self.run_path, *([self.run_path] if command == "diff" else []), "--steps-by", by, expect=2)
        self.assertRegex(done.stderr, words)

    def test_report_says_by_what_they_are_guessed(self):
        found = self.steps()
        self.assertEqual(found["source"], "guessed")
        self.assertEqual(found["period"]["calls"], 75)
        self.assertEqual(found["period"]["confidence"], "high")
        self.assertIn("optimizer", found["period"]["witnesses"])
        text = " ".join(run(RINGSIDE, "report", self.run_path).stdout.split())
        self.assertIn("60 steps guessed from the period of collectives (75 calls a step, high confidence: the optimizer runs once in it", text)

    def test_user_knows_better(self):
        told = self.steps("--steps-by", "period=150")
        self.assertEqual((told["source"], told["period"]["calls"], told["period"]["confidence"]), ("told", 150, None))
        self.assertIn(told["total"], range(28, 31))
        self.assertEqual(self.steps("--steps-by", "none")["total"], 0)

    def test_other_commands_take_it_too(self):
        told = ("--steps-by", "period=150")
        compared = run(RINGSIDE, "diff", self.run_path, self.run_path).stdout
        self.assertIn("Steps of the base are guessed from the period of collectives", " ".join(compared.split()))
        self.assertNotIn("are guessed", run(RINGSIDE, "diff", self.run_path, self.run_path, *told).stdout)
        out = f"{self.temporary.name}/out"
        run(RINGSIDE, "export", self.run_path, "--format", "csv", "-o", out, *told)
        self.assertTrue(pathlib.Path(out).exists())

    def test_own_kernels_communicate_by_option_and_by_file(self):
        config = f"{self.temporary.name}/own.toml"
        pathlib.Path(config).write_text('communication_kernels = ["multi_tensor_apply"]\n')
        share = lambda *words: json.loads(run(RINGSIDE, "report", self.run_path, "--format", "json", *words).stdout)["summary"]["communication_share"]
        ours = (("--communication-kernel", "Multi_Tensor_Apply"), ("--config", config))
        for words in ours:
            self.assertGreater(share(*words), share())
            self.assertIn("multi_tensor_apply", run(RINGSIDE, "report", self.run_path, *words).stdout)
            self.assertIn("numbers of ranks", run(RINGSIDE, "scaling", self.run_path, *words, expect=2).stderr)
            run(RINGSIDE, "diff", self.run_path, self.run_path, *words)
            run(RINGSIDE, "whatif", self.run_path, "--no-late-ranks", *words)
        for index, words in enumerate(ours):
            out = f"{self.temporary.name}/own{index}"
            run(RINGSIDE, "export", self.run_path, "--format", "csv", "-o", out, *words)
            self.assertTrue(pathlib.Path(out).exists())
        self.assertIn("no kernel's name holds 'elsewhere'", " ".join(run(RINGSIDE, "report", self.run_path, "--communication-kernel", "elsewhere").stdout.split()))
        self.assertIn("match every kernel", run(RINGSIDE, "report", self.run_path, "--communication-kernel", "", expect=2).stderr)
        for command in ("report", "scaling", "whatif"):
            run(RINGSIDE, command, self.run_path, "--config", f"{self.temporary.name}/none.toml", expect=2)

    def test_impossible_values_are_refused(self):
        for command in ("report", "diff", "whatif"):
            self.refused(command, "period=7", "no rank's calls repeat after 7")
            self.refused(command, "epoch", "no range is called 'epoch'")
        for by in ("period=0", "period=-3", "period=", "period=12x", "period=99999999999999999999"):
            self.refused("report", by, "not a number of calls")
        self.refused("report", "", "nothing is named")

    def test_table_is_that_of_the_readme(self):
        shown = re.search(r"<!-- step_patterns --table -->\n(.*?)<!-- end -->", README, re.S).group(1)
        self.assertEqual(shown, run(STEP_PATTERNS, "--table").stdout)


unittest.main()
