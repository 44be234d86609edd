# SPDX-License-Identifier: Apache-2.0
"""Hosts with planted clocks: the error of the clocks that a report found, and whether the report's bound includes it.

The first host keeps this machine's clock, so that all times of a report can be compared with it."""

import dataclasses
import datetime
import time

from disturbances.clock import Clock
from scoring import training
from scoring.places import Hosts
from scoring.scenario import Scenario

HOSTS = "abcd"
NS_A_SECOND = 1_000_000_000


@dataclasses.dataclass(frozen=True)
class Clocks:
    name: str
    planted: tuple       # (offset in ns, drift in ppm) of each host but the first
    ranks_a_host: int = 1

    def missing(self):
        return Hosts(HOSTS).missing() or Clock(0, 0).missing()

    def judge(self, score):
        clocks = (Clock(0, 0), *(Clock(*each) for each in self.planted))
        place = Hosts(HOSTS[:len(clocks)], clocks)
        report = training.train(Scenario(self.name, ranks=len(clocks) * self.ranks_a_host, place=place)).report
        found = {each["host"]: each for each in report["coverage"]["clocks"]}
        errors = [error for host, clock in zip(place.names, clocks) for error in errors_of(report, found[host], clock)]
        score.clock(self.name, max(errors), report["coverage"]["clock_residual_ns"], report["coverage"]["clock_bound_ns"])


def errors_of(report, found, planted):
    """In ns, when the run began and when it ended."""
    began = monotonic_ns(report["run"]["started_at"])
    steps = report["coverage"]["steps"]["total"] * report["steps"]["median_ns"]
    for elapsed in (0, steps):
        taken_for = found["offset_ns"] + found["drift_ppm"] * 1e-6 * elapsed
        yield abs(taken_for - planted.ahead_ns(began + elapsed))


def monotonic_ns(date):
    """When this machine's date was that."""
    whole, _, fraction = date.rstrip("Z").partition(".")
    seconds = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc).timestamp()
    return round(seconds) * NS_A_SECOND + int(fraction.ljust(9, "0")[:9] or 0) - (time.time_ns() - time.monotonic_ns())
