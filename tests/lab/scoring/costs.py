# SPDX-License-Identifier: Apache-2.0
"""Estimated costs against what leaving the fault out really brought, and what replays predicted against what was run then."""

import dataclasses

COST_WITHIN = 0.15
PREDICTED_WITHIN = 0.10
# Of a step. Two trainings of the same differ by about a third of it, so that a smaller gain cannot tell whether a cost is right.
LEAST_GAIN = 0.03


@dataclasses.dataclass(frozen=True)
class Cost:
    scenario: str
    finding: dict
    step_ns: float  # with the fault, as the trainer measured it
    base_ns: float  # without

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
        return (f"{self.scenario:32} {self.finding['rule']:26} {self.estimated_ns / 1e6:8.1f} {self.gain_ns / 1e6:8.1f} {error:>7}"
                f" {predicted:>9}")


def lines(costs):
    yield f"{'scenario':32} {'rule':26} {'cost ms':>8} {'gain ms':>8} {'error':>7} {'predicted':>9}"
    yield from map(str, costs)


def summary(costs, share):
    compared = [each for each in costs if each.comparable]
    predicted = [abs(each.prediction_error) <= PREDICTED_WITHIN for each in costs if each.prediction_error is not None]
    return (f"Cost within {COST_WITHIN:.0%} of the measured gain: {share(sum(each.within for each in compared), len(compared))} of "
            f"{len(compared)}; the gains of {len(costs) - len(compared)} others are below {LEAST_GAIN:.0%} of a step. "
            f"Replayed step within {PREDICTED_WITHIN:.0%} of the one really run: {share(sum(predicted), len(predicted))} of {len(predicted)}.")
