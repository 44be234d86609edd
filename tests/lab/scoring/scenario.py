# SPDX-License-Identifier: Apache-2.0
"""A training run with something wrong, or nothing, and what its report must therefore say.

A scenario states its truth before it is run. A rule that is neither expected nor allowed and yet warns is a false claim; one
that is expected and silent, or names another rank, is a miss. Every kind of scenario has a `name`, says by missing() why it
cannot be made here, and judges itself into a Score."""

import dataclasses

from scoring import findings
from scoring.places import Loopback

# Many small layers in four buckets, and as much work in many more layers and messages.
FEW_BUCKETS = ("--hidden", 256, "--layers", 12, "--bucket-cap-mb", 1)
MANY_LAYERS = ("--hidden", 128, "--layers", 48, "--bucket-cap-mb", 1.5)


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

    def missing(self):
        """Why this machine cannot make it; None: it can."""
        return next(filter(None, (each.missing() for each in (self.place, *self.disturbed))), None)

    def judge(self, score):
        findings.judge(self, score)
