# SPDX-License-Identifier: Apache-2.0
"""Jobs of several process groups (pipelines, tensor groups, replicas, experts) with one fault, drawn by the same program as
in the unit tests: the report must first name the origin of the delay, not a rank that waits for it."""

import dataclasses
import json
import shutil

import lab
from scoring import training

PROGRAM = lab.BUILD / "bin" / "parallel_jobs"
ORIGINS = {"late_rank", "pipeline_stage_imbalance", "data_skew", "step_time_jitter", "slow_link", "expert_imbalance",
           "compute_jitter"}


@dataclasses.dataclass(frozen=True)
class Parallel:
    seed: int

    @property
    def name(self):
        return f"parallel_{self.seed}"

    def missing(self):
        return None if PROGRAM.exists() else "no program parallel_jobs: build the tests"

    def judge(self, score):
        directory = training.FOLDER / f"{self.name}.ringside"
        shutil.rmtree(directory, ignore_errors=True)
        truth = json.loads(lab.run([PROGRAM, str(self.seed), directory]).stdout)
        first = next((each for each in lab.report(directory)["findings"]
                      if each["rule"] in ORIGINS and each["severity"] != "info"), None)
        shutil.rmtree(directory)
        rule = rule_of(first)
        what = f"{self.name} ({truth['job']}): {rule or 'nothing'} came first, not {truth['rule'] or 'nothing'}"
        if truth["rule"]:
            score.expect("origin of a delay", rule == truth["rule"], what)
        if rule and rule != truth["rule"]:
            score.deny("origin of a delay", what)
        elif rule and truth["ranks"]:
            score.place(first["ranks"] == truth["ranks"], f"{self.name}: {rule} names {first['ranks']}, not {truth['ranks']}")


def rule_of(finding):
    """A rank that stops now and then is late_rank's as well as step_time_jitter's."""
    now_and_then = finding and "delays the others from time to time" in finding["title"]
    return "step_time_jitter" if now_and_then else finding and finding["rule"]
