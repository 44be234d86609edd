# SPDX-License-Identifier: Apache-2.0
"""Jobs of real frameworks' patterns without step marks, made by the same program as in the unit tests: the report must find
their steps, or report that it found none."""

import dataclasses
import functools
import shutil

import lab
from scoring import training

PROGRAM = lab.BUILD / "bin" / "step_patterns"


@dataclasses.dataclass(frozen=True)
class Unmarked:
    pattern: str

    @property
    def name(self):
        return "unmarked_" + "_".join(self.pattern.replace(",", "").lower().split())

    def missing(self):
        return None if PROGRAM.exists() else "no program step_patterns: build the tests"

    def judge(self, score):
        directory = training.FOLDER / f"{self.name}.ringside"
        shutil.rmtree(directory, ignore_errors=True)
        lab.run([PROGRAM, self.pattern, directory])
        steps = lab.report(directory)["coverage"]["steps"]
        calls = (steps["period"] or {}).get("calls")
        wanted = calls_a_step()[self.pattern]
        score.expect("steps without marks", calls == wanted, f"{self.name}: a step of {calls} calls was found, not of {wanted}")
        if calls not in (None, wanted):
            score.deny("steps without marks", f"{self.name}: a step of {calls} calls is not true")
        shutil.rmtree(directory)


@functools.cache
def calls_a_step():
    """{pattern: calls of a step}, as the program made them."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lab.run([PROGRAM, "--table"]).stdout.splitlines()[2:]]
    return {row[0]: int(row[1]) for row in rows}
