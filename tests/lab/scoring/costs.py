# SPDX-License-Identifier: Apache-2.0
"""Estimated costs against what leaving the fault out really brought, and what replays predicted against what was run then.

A training is made several times with the fault and without, in turn, so that what slows the machine for minutes slows both. One
step that other work holds up for 200 ms makes the mean of 24 longer by 8: middle ones are compared, and of the costs that one
counts whose error is the middle one. It goes on, within a limit, until the gain is known as well as a cost is to be right."""

import dataclasses
import math
import statistics

from scoring import training

FEWEST_TRAININGS = 3
MOST_TRAININGS = 5  # both odd, so that there is a middle one
COST_WITHIN = 0.15
PREDICTED_WITHIN = 0.10
# Of a step. Two trainings of the same differ by about a third of it, so that a smaller gain cannot tell whether a cost is right.
LEAST_GAIN = 0.03


@dataclasses.dataclass(frozen=True)
class Cost:
    scenario: str
    rule: str
    finding: dict | None  # None: the report of this training lacks it, or says no cost
    step_ns: float        # with the fault, as the trainer measured it
    base_ns: float        # without, the middle training's
    error_ns: float       # two standard errors of the gain

    @property
    def gain_ns(self):
        return self.step_ns - self.base_ns

    @property
    def estimated_ns(self):
        return self.finding["cost_ns_per_step"]

    @property
    def comparable(self):
        return self.gain_ns >= LEAST_GAIN * self.base_ns

    @property
    def known(self):
        """Whether the trainings differed so little that the gain itself is right within what a cost may be wrong by."""
        return self.error_ns <= COST_WITHIN * self.gain_ns

    @property
    def within(self):
        return abs(self.estimated_ns - self.gain_ns) <= COST_WITHIN * self.gain_ns

    @property
    def prediction_error(self):
        """Of the step without the fault; None: the rule estimated the cost without a replay."""
        saving = self.finding["figures"].get("replayed_saving_ns_per_step")
        return None if saving is None else (self.step_ns - saving["value"]) / self.base_ns - 1

    def __str__(self):
        if not self.finding:
            return f"{self.scenario:32} {self.rule:26} {'-':>8} {self.gain_ns / 1e6:8.1f} {self.error_ns / 1e6:6.1f}"
        error = f"{self.estimated_ns / self.gain_ns - 1:+.0%}" if self.comparable else "-"
        predicted = "-" if self.prediction_error is None else f"{self.prediction_error:+.1%}"
        return (f"{self.scenario:32} {self.rule:26} {self.estimated_ns / 1e6:8.1f} {self.gain_ns / 1e6:8.1f} {self.error_ns / 1e6:6.1f} "
                f"{error:>7} {predicted:>9}")


def two_errors_ns(steps_ns, bases_ns):
    """Two standard errors of the difference of both medians. A median's is sqrt(pi/2) of a mean's, of many samples of a normal
    distribution (Kenney and Keeping, Mathematics of Statistics, part 2); of three it is a little less."""
    of_means = statistics.variance(steps_ns) / len(steps_ns) + statistics.variance(bases_ns) / len(bases_ns)
    return 2 * math.sqrt(math.pi / 2 * of_means)


def costs_of(scenario, trained, bases_ns):
    """A Cost of each training. Costs are of the first rule that the scenario expects."""
    rule = scenario.expect[0]
    base_ns = statistics.median(bases_ns)
    error_ns = two_errors_ns([each.step_ns for each in trained], bases_ns)
    for training_run in trained:
        finding = next((each for each in training_run.report["findings"] if each["rule"] == rule and each["cost_ns_per_step"] is not None), None)
        yield Cost(scenario.name, rule, finding, training_run.step_ns, base_ns, error_ns)


def measured(scenario, first):
    """The Costs of trainings of which `first`, as training.train gave it, was the first."""
    trained, bases_ns = [first], [training.train(scenario.healthy).step_ns]
    while True:
        costs = list(costs_of(scenario, trained, bases_ns)) if len(trained) >= FEWEST_TRAININGS else []
        if len(trained) == MOST_TRAININGS or costs and by_gain(costs).known:
            return costs
        for _ in range(2):
            trained.append(training.train(scenario))
            bases_ns.append(training.train(scenario.healthy).step_ns)


def by_gain(costs):
    return sorted(costs, key=lambda each: each.gain_ns)[len(costs) // 2]


def are_too_small(costs):
    """Whether the fault costs less than what two trainings of the same may differ by."""
    return not by_gain(costs).comparable


def middle(costs):
    """The one whose error is the middle one; without a finding where most reports say no cost."""
    said = sorted((each for each in costs if each.finding), key=lambda each: each.estimated_ns - each.gain_ns)
    return said[len(said) // 2] if 2 * len(said) > len(costs) else dataclasses.replace(by_gain(costs), finding=None)


def lines(costs):
    yield f"{'scenario':32} {'rule':26} {'cost ms':>8} {'gain ms':>8} {'+-':>6} {'error':>7} {'predicted':>9}"
    yield from map(str, costs)


def reached(costs):
    """{what: (right, of)}."""
    said = [each for each in costs if each.finding]
    compared = [each for each in said if each.comparable]
    known = [each for each in compared if each.known]
    predicted = [abs(each.prediction_error) <= PREDICTED_WITHIN for each in said if each.prediction_error is not None]
    return {"cost": (sum(each.within for each in compared), len(compared)),
            "cost of a known gain": (sum(each.within for each in known), len(known)),
            "replayed step": (sum(predicted), len(predicted))}


def summary(costs, share):
    right = {what: f"{share(part, whole)} of {whole}" for what, (part, whole) in reached(costs).items()}
    small = sum(not each.comparable for each in costs)
    silent = [each.scenario for each in costs if each.comparable and not each.finding]
    return (f"Cost within {COST_WITHIN:.0%} of the measured gain: {right['cost']}; the gains of {small} others are below {LEAST_GAIN:.0%} of a "
            f"step, and of {len(silent)} the report says no cost{': ' if silent else ''}{', '.join(silent)}. The same where the gain itself is known within {COST_WITHIN:.0%} (two standard errors): {right['cost of a known gain']}. "
            f"Replayed step within {PREDICTED_WITHIN:.0%} of the one really run: {right['replayed step']}.")
