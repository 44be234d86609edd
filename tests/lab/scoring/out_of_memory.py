# SPDX-License-Identifier: Apache-2.0
"""Jobs that end because a device has no more memory: the report must begin with that, and name the ranks."""

import dataclasses
import shutil

import lab
from scoring import training
from scoring.findings import CLAIMS, SYMPTOMS
from scoring.scenario import FEW_BUCKETS, Scenario

MEMORY_MIB = 256
MOST_STEPS = 200  # the memory is full long before
RULE = "memory_near_limit"
# What is kept is memory of this machine: setting it to zero holds up the emulated NCCL, which runs on the same processors. With 12 MiB
# a step the 1.5 MiB all-reduce beside it had a median of 0.16 to 0.18 GB/s in three trainings, without 0.46 to 0.58; the others had theirs.
ALSO = frozenset((RULE, "rank_died", "collective_bandwidth_low"))


@dataclasses.dataclass(frozen=True)
class OutOfMemory:
    name: str
    mb: int  # MiB that every step keeps, on all ranks
    ranks: int = 4

    def missing(self):
        return None

    def judge(self, score):
        directory = training.FOLDER / f"{self.name}.ringside"
        words = lab.trainer_command(MOST_STEPS, (f"memory_growth:mb={self.mb}",), self.ranks, ("--batch", 64 * self.ranks, "--eval", 0),
                                    FEW_BUCKETS)
        with training.undisturbed(self.like()):
            done = lab.record(directory, words, expect=None, environment=lab.emulated_gpu(self.device()))
        if done.returncode != 1 or "out of memory" not in done.stderr:
            raise AssertionError(f"it did not run out of memory, and ended with {done.returncode}:\n{done.stderr[-2000:]}")
        self.compare(lab.report(directory)["findings"], score)
        shutil.rmtree(directory)

    def like(self):
        """A training that differs from it by memory alone."""
        return Scenario(self.name, ranks=self.ranks)

    def device(self):
        usual = training.device_model(self.like(), 0)
        path = training.FOLDER / f"{self.name}.conf"
        path.write_text(f"{usual.read_text()}memory_bytes = {MEMORY_MIB << 20}\n")
        return path

    def compare(self, findings, score):
        found = [each for each in findings if each["rule"] == RULE and each["severity"] in CLAIMS]
        score.expect(RULE, bool(found), f"{self.name}: {RULE} is missing; there are {[each['rule'] for each in findings]}")
        for each in findings:
            if each["severity"] in CLAIMS and each["rule"] not in SYMPTOMS | ALSO:
                score.deny(each["rule"], f"{self.name}: {each['rule']} is not true: {each['title']}")
        if found:
            ranks = list(range(self.ranks))
            score.place(found[0]["ranks"] == ranks, f"{self.name}: {RULE} names ranks {found[0]['ranks']}, not {ranks}")
            score.first(findings[0]["rule"] == RULE, f"{self.name}: the report begins with {findings[0]['rule']}")
            refused = found[0]["figures"]["refused_allocations"]["value"]
            score.expect("allocations were refused", refused > 0, f"{self.name}: no refused allocation is told")
