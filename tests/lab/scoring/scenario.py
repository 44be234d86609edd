# SPDX-License-Identifier: Apache-2.0
"""A training run with or without a fault, and the expected report.

A scenario contains its expectations before it runs. A warning of a rule that is neither expected nor allowed is a false claim.
An expected rule that reports nothing, or names another rank, is a miss. Every kind of scenario has a `name`, missing() returns why
it cannot run on this machine, and it adds its result to a Score."""

import dataclasses

from disturbances.load import BusyHost
from scoring import findings
from scoring.places import Loopback

# Many small layers in four buckets, and as much work in many more layers and messages.
FEW_BUCKETS = ("--hidden", 256, "--layers", 12, "--bucket-cap-mb", 1)
MANY_LAYERS = ("--hidden", 128, "--layers", 48, "--bucket-cap-mb", 1.5)

BUSY = frozenset(("cpu_contention",))  # which other work is


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    faults: tuple = ()
    ranks: int = 4
    steps: int = 24
    batch: int = 64                 # of a rank
    options: tuple = ()
    wrong: tuple = ()               # options that are what is wrong
    shape: tuple = FEW_BUCKETS
    place: object = Loopback()
    marked: bool = True             # NVTX ranges say what a step is and where data is loaded
    window: int = 0                 # so many steps are recorded with their device work; 0: all
    throttled: tuple = ()           # (rank, factor): its device clocks so much lower
    disturbed: tuple = ()           # what the operating system does to it
    expect: tuple = ()              # rules that must warn
    where: tuple = ()               # ranks that the first of them must name; empty: none is asked for
    links: tuple = ()               # the same of links
    allow: frozenset = frozenset()  # rules that are true of the run, too
    leads: bool = True              # the first of `expect` must be the first cause listed
    mended: tuple = ()              # faults of the training that its cost is measured against, none as a rule
    cost: bool = True               # its cost is compared with the gain of that
    drawn: bool = False             # that gain decides whether there is a fault at all

    @property
    def healthy(self):
        """The same training without what was done to it."""
        return dataclasses.replace(self, name="", faults=self.mended, wrong=(), mended=(), expect=(), where=(), links=(),
                                   allow=frozenset(), throttled=(), disturbed=(), leads=True, cost=True, drawn=False)

    @property
    def is_healthy(self):
        """Nothing is wrong with it, whatever else runs on the host."""
        return not (self.expect or self.faults or self.wrong or self.throttled) and all(each.is_of_all_ranks for each in self.disturbed)

    @property
    def is_undisturbed(self):
        return isinstance(self.place, Loopback) and not self.disturbed

    def on_a_busy_host(self, seed):
        """The same beside other work, which costs are not told of: it differs from one training to the next."""
        return dataclasses.replace(self, name=f"{self.name}_busy", disturbed=(BusyHost(seed),), allow=self.allow | BUSY, cost=False)

    def missing(self):
        """Why this machine cannot make it; None: it can."""
        return next(filter(None, (each.missing() for each in (self.place, *self.disturbed))), None)

    def judge(self, score):
        findings.judge(self, score)
