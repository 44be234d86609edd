# SPDX-License-Identifier: Apache-2.0
"""The CI example that users copy works: examples/ci/gate.sh, and the workflow file around it."""

import subprocess

import yaml

import lab

EXAMPLE = lab.ROOT / "examples" / "ci"


class Gate(lab.Scenario):
    def gate(self, name, *faults, baseline=None, github=False, fail_on="never"):
        output = self.folder / name
        environment = dict(lab.emulated_gpu(), GATE_RINGSIDE=str(lab.RINGSIDE), GATE_FAIL_ON=fail_on, GATE_SLOWER="10%")
        if baseline:
            environment["GATE_BASELINE"] = str(baseline / "job.ringside")
        if github:
            environment.update(GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(self.folder / "summary.md"))
        command = [str(word) for word in lab.trainer_command(30, faults)]
        done = subprocess.run([EXAMPLE / "gate.sh", output, *command], env=environment, capture_output=True, text=True, check=False)
        return output, done

    def test_a_slower_job_is_held_back(self):
        base, done = self.gate("base")
        self.assertEqual(done.returncode, 0, done.stderr)
        for form in ("html", "markdown", "junit", "sarif", "benchmark-json"):
            self.assertGreater((base / f"report.{form}").stat().st_size, 100, form)
        slower, done = self.gate("slower", "late_rank:rank=2,ms=50", baseline=base, github=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("Worse: the step takes", done.stdout)
        self.assertRegex(done.stdout, r"::(error|warning) title=Ringside late_rank::")
        self.assertEqual((self.folder / "summary.md").read_text(), (slower / "report.markdown").read_text())
        _, done = self.gate("alone", "late_rank:rank=2,ms=50", fail_on="problem")
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_it_sets_nothing_that_ringside_reads(self):
        for file in ("gate.sh", "github.yml"):
            self.assertNotRegex((EXAMPLE / file).read_text(), r"RINGSIDE_[A-Z]+(:=|=)|\{RINGSIDE", file)

    def test_the_workflow_runs_the_gate(self):
        workflow = yaml.safe_load((EXAMPLE / "github.yml").read_text())
        steps = workflow["jobs"]["gate"]["steps"]
        self.assertTrue(any("gate.sh" in step.get("run", "") for step in steps))
        self.assertTrue(any(step.get("with", {}).get("sarif_file") == "results/report.sarif" for step in steps))


if __name__ == "__main__":
    lab.main()
