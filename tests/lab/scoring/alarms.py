# SPDX-License-Identifier: Apache-2.0
"""What was claimed of runs in which nothing is wrong."""

import dataclasses

# What a run spends its time on is true of a healthy one, too.
NO_BLAME = ("compute", "communication", "nothing")


@dataclasses.dataclass(frozen=True)
class HealthyRun:
    scenario: str
    warnings: tuple       # rules that warn and are not true
    problems: tuple       # those of them that call it a problem
    blamed: str | None    # what the verdict blames with high confidence; None: nothing

    @property
    def serious(self):
        return bool(self.problems or self.blamed)

    def __str__(self):
        blamed = f", surely limited by {self.blamed}" if self.blamed else ""
        return f"{self.scenario}: {', '.join(self.warnings) or 'no rule'}{blamed}"


def healthy_run(scenario, report, false):
    """`false`: the findings that are not true."""
    verdict = report["verdict"]
    surely = verdict["confidence"] == "high" and verdict["limited_by"] not in NO_BLAME
    true_blame = {each["rule"] for each in report["findings"]} & set(scenario.allow)
    return HealthyRun(scenario.name, tuple(sorted({each["rule"] for each in false})),
                      tuple(sorted({each["rule"] for each in false if each["severity"] == "problem"})),
                      verdict["limited_by"] if surely and not true_blame else None)


def lines(runs):
    alarms = [each for each in runs if each.warnings or each.blamed]
    yield (f"False alarms: {len(alarms)} on {len(runs)} healthy runs; of them {sum(bool(each.problems) for each in runs)} say `problem`, "
           f"{sum(bool(each.blamed) for each in runs)} blame something with high confidence.")
    yield from (f"- {each}" for each in alarms)


def serious(runs):
    return [f"a healthy run has a false `problem`, or a false verdict of high confidence: {each}" for each in runs if each.serious]
