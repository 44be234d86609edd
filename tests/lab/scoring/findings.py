# SPDX-License-Identifier: Apache-2.0
"""Compares the findings of a recorded training with what was done to it."""

import dataclasses

import lab
from scoring import alarms, costs, training

CLAIMS = ("warning", "problem")
# Measurements of a run's shape: true whenever their figure is, whatever the reason. They are no diagnosis of a fault and count
# neither way.
SYMPTOMS = frozenset(("comm_share_high", "comm_compute_ratio_high", "exposed_communication", "gpu_utilization_low",
                      "gpu_utilization_spread", "wait_dominates", "fp32_gradients", "small_batch", "step_time_jitter"))


def judge(scenario, score):
    trained = training.train(scenario)
    report = trained.report
    score.replays.append((scenario.name, trained.replay))
    compared = costs.measured(scenario, trained) if score.compares_costs and scenario.cost and scenario.expect else []
    if scenario.drawn and compared and costs.are_too_small(compared):
        score.harmless.append(scenario.name)
        scenario = dataclasses.replace(scenario, expect=(), allow=scenario.allow | set(scenario.expect))
    true = SYMPTOMS | scenario.allow | set(scenario.expect)
    false = [each for each in report["findings"] if each["severity"] in CLAIMS and each["rule"] not in true and not lab.is_of_the_hypervisor(each)]
    listed = {each["rule"]: each for each in reversed(report["findings"])}
    for rule in scenario.expect:
        score.expect(rule, rule in listed, f"{scenario.name}: {rule} is missing; there are {sorted(listed)}")
    if scenario.is_healthy:
        score.healthy.append(alarms.healthy_run(scenario, report, false))
    for rule in {each["rule"] for each in false}:
        score.deny(rule, f"{scenario.name}: {rule} is not true: {listed[rule]['title']}")
    if scenario.expect and scenario.expect[0] in listed:
        judge_finding(scenario, listed[scenario.expect[0]], report["findings"], score)
        score.costs += [costs.middle(compared)] if compared else []


def judge_finding(scenario, finding, findings, score):
    for what, wanted in (("ranks", scenario.where), ("links", scenario.links)):
        named = {each for other in findings if other["rule"] == finding["rule"] for each in other[what]}
        if wanted:
            score.place(named == set(wanted), f"{scenario.name}: {finding['rule']} names {what} {sorted(named)}, not {list(wanted)}")
    if scenario.leads:
        causes = [each["rule"] for each in findings if each["kind"] == "cause"]
        score.first(causes[:1] == [finding["rule"]], f"{scenario.name}: {', '.join(causes[:1]) or 'no cause'} is listed before {finding['rule']}")
