# SPDX-License-Identifier: Apache-2.0
"""Estimated costs against what leaving the fault out really brought, and what replays predicted against what was run then.

A training is made three times with the fault and three times without: one step that other work on the machine holds up for 200 ms
makes the mean of 24 longer by 8. The middle one without it is what the others are compared with, and of the three costs that one
counts whose error is the middle one."""

import dataclasses

TRAININGS = 3
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
    base_ns: float        # without

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
    def within(self):
        return abs(self.estimated_ns - self.gain_ns) <= COST_WITHIN * self.gain_ns

    @property
    def prediction_error(self):
        """Of the step without the fault; None: the rule estimated the cost without a replay."""
        saving = self.finding["figures"].get("replayed_saving_ns_per_step")
        return None if saving is None else (self.step_ns - saving["value"]) / self.base_ns - 1

    def __str__(self):
        error = f"{self.estimated_ns / self.gain_ns - 1:+.0%}" if self.comparable else "-"
        predicted = "-" if self.prediction_error is None else f"{self.prediction_error:+.1%}"
        return f"{self.scenario:32} {self.rule:26} {self.estimated_ns / 1e6:8.1f} {self.gain_ns / 1e6:8.1f} {error:>7} {predicted:>9}"


def of_training(scenario, trained, base_ns):
    """`trained`: its report, and its mean step in ns. Costs are of the first rule that the scenario expects."""
    report, step_ns = trained
    rule = scenario.expect[0]
    finding = next((each for each in report["findings"] if each["rule"] == rule and each["cost_ns_per_step"] is not None), None)
    return Cost(scenario.name, rule, finding, step_ns, base_ns)


def are_too_small(costs):
    """Whether the fault costs less than what two trainings of the same may differ by."""
    return not sorted(costs, key=lambda each: each.gain_ns)[len(costs) // 2].comparable


def middle(costs):
    """The one whose error is the middle one, in a list; empty: no report says a cost."""
    said = sorted((each for each in costs if each.finding), key=lambda each: each.estimated_ns - each.gain_ns)
    return said[len(said) // 2:][:1]


def lines(costs):
    yield f"{'scenario':32} {'rule':26} {'cost ms':>8} {'gain ms':>8} {'error':>7} {'predicted':>9}"
    yield from map(str, costs)


def summary(costs, share):
    compared = [each for each in costs if each.comparable]
    predicted = [abs(each.prediction_error) <= PREDICTED_WITHIN for each in costs if each.prediction_error is not None]
    return (f"Cost within {COST_WITHIN:.0%} of the measured gain: {share(sum(each.within for each in compared), len(compared))} of "
            f"{len(compared)}; the gains of {len(costs) - len(compared)} others are below {LEAST_GAIN:.0%} of a step. "
            f"Replayed step within {PREDICTED_WITHIN:.0%} of the one really run: {share(sum(predicted), len(predicted))} of {len(predicted)}.")
