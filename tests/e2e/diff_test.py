# SPDX-License-Identifier: Apache-2.0
"""`ringside diff` of real training runs: a planted late rank is a regression that the gate holds back, and one that it lets by
the other way round."""

import json

import jsonschema

import lab

SCHEMA = lab.ROOT / "analyzer" / "compare" / "ringside-diff-1.schema.json"


class Diff(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.base = cls.training("base", [], steps=40)
        cls.late = cls.draw.randrange(lab.RANKS)
        cls.worse = cls.training("worse", [f"late_rank:rank={cls.late},ms=40"], steps=40)

    def diff(self, base, now, *options, expect=0):
        return lab.run([lab.RINGSIDE, "diff", base, now, *options], expect=expect).stdout

    def test_the_gate_holds_a_late_rank_back(self):
        result = json.loads(self.diff(self.base, self.worse, "--gate", "5", "--format", "json", expect=1))
        jsonschema.validate(result, json.loads(SCHEMA.read_text()))
        self.assertEqual(result["verdict"], "worse")
        self.assertIn("late_rank", result["new_findings"] + [f["rule"] for f in lab.report(self.base)["findings"]])
        self.assertIn(("busy", "added"), [(kernel["name"], kernel["kind"]) for kernel in result["kernels"]])

    def test_the_gate_lets_an_improvement_by(self):
        self.assertIn("Better: the step takes", self.diff(self.worse, self.base, "--gate", "5"))

    def test_without_a_gate_the_exit_code_says_nothing(self):
        text = self.diff(self.base, self.worse, "--format", "markdown")
        self.assertTrue(text.startswith("Worse: the step takes"), text)

    def test_a_run_compares_with_itself_as_no_worse(self):
        result = json.loads(self.diff(self.base, self.base, "--format", "json"))
        self.assertEqual((result["kernels"], result["collectives"], result["new_findings"]), ([], [], []))
        for metric in result["metrics"]:
            self.assertIn(metric["verdict"], ("same", "inconclusive"), metric["name"])
            self.assertEqual(metric["change"]["value"], 0)


if __name__ == "__main__":
    lab.main()
