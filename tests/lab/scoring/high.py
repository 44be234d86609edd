# SPDX-License-Identifier: Apache-2.0
"""How often "high" is right: a verdict against what was done to the job.

A verdict is right if the finding that it names is expected of the job or allowed, with the ranks at fault where the finding names
late ones; of a job with nothing wrong, or with a fault that costs nothing that can be measured, also if it names no cause, but
only what a healthy run spends its time on."""

import collections
import dataclasses

from scoring.alarms import NO_BLAME
from scoring.findings import SYMPTOMS

LEAST = 0.99


@dataclasses.dataclass(frozen=True)
class Verdict:
    job: str
    kind: str
    load: str
    confidence: str
    right: bool
    said: str  # what limits it, the rule and the ranks

    @property
    def high(self):
        return self.confidence == "high"


def named(report):
    """The finding that the verdict names; None: none."""
    number = report["verdict"]["finding"]
    return None if number is None else report["findings"][number]


def is_right(scenario, report, harmless):
    finding = named(report)
    true = scenario.allow | set(scenario.expect)
    if (scenario.is_healthy or harmless) and report["verdict"]["limited_by"] in NO_BLAME and (finding is None or finding["rule"] in SYMPTOMS):
        return True
    if finding is None or finding["rule"] not in true:
        return False
    return not scenario.where or finding["rule"] != scenario.expect[0] or set(finding["ranks"]) == set(scenario.where)


def judged(job, report, harmless):
    verdict, finding = report["verdict"], named(report)
    said = verdict["limited_by"] + (f": {finding['rule']} {finding['ranks'] or ''}" if finding else "")
    kind = f"{job.kind}, harmless" if harmless else job.kind
    return Verdict(job.name, kind, job.load, verdict["confidence"], is_right(job.scenario, report, harmless), said.strip())


def rows(verdicts):
    """(kind, load, said, right, high, high and right), and of all."""
    groups = collections.defaultdict(list)
    for each in verdicts:
        groups[each.kind, each.load].append(each)
    for (kind, load), group in sorted(groups.items()):
        yield kind, load, *counts(group)
    for load in sorted({each.load for each in verdicts}):
        yield "all", load, *counts([each for each in verdicts if each.load == load])
    yield "all", "all", *counts(verdicts)


def counts(verdicts):
    return (len(verdicts), sum(each.right for each in verdicts), sum(each.high for each in verdicts),
            sum(each.high and each.right for each in verdicts))


def table(verdicts):
    lines = ["| kind | load | said | right | high | high and right |", "|---|---|---|---|---|---|"]
    return "\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows(verdicts)])


def missed(verdicts):
    """Why the bar is not reached; empty if it is."""
    _, _, high, right = counts(verdicts)
    if high == 0:
        return "no verdict was high, so nothing was measured"
    return f"high is right in {right} of {high}, wanted {LEAST:.0%}" if right < LEAST * high else ""
