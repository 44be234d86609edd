# SPDX-License-Identifier: Apache-2.0
"""One to three steps, as a profiler's schedule records them: a job that has no more, or a window of a longer one. Costs are not
compared, for a gain of so few steps is not known."""

import dataclasses

from scenarios import trainer
from scenarios.trainer import FEW_BUCKETS, MANY_LAYERS
from scoring.scenario import Scenario

# What so few steps cannot tell apart: a worker that is always late from one that was late by chance, or by its batch.
ALSO = frozenset(("compute_imbalance", "data_skew"))


def of_steps(scenario, steps, **more):
    return dataclasses.replace(scenario, name=f"{steps}_steps_{scenario.name}", steps=steps, options=(*scenario.options, "--warmup", 0),
                               cost=False, allow=scenario.allow | ALSO, **more)


def in_window(scenario, steps):
    return dataclasses.replace(scenario, name=f"window_{steps}_{scenario.name}", window=steps, cost=False, allow=scenario.allow | ALSO)


def faulty(ranks):
    yield trainer.late("compute", 60, ranks - 1, ranks)
    yield trainer.late("compute", 120, 0, ranks)
    yield trainer.throttled(1.6, ranks - 1, ranks)


def of_all_ranks(ranks):
    yield trainer.small_buckets(0.02, ranks)
    yield trainer.unused_parameters(98, ranks, MANY_LAYERS)
    yield trainer.sync_every_part(4, ranks)
    yield trainer.host_sync(64, ranks)


def scenarios():
    for steps in (1, 2, 3):
        for ranks in (2, 4):
            yield from (of_steps(each, steps) for each in faulty(ranks))
            yield of_steps(Scenario(f"healthy_{ranks}", ranks=ranks, shape=FEW_BUCKETS), steps)
        yield in_window(Scenario("healthy_4"), steps)
        yield in_window(trainer.late("compute", 60, 3, 4), steps)
    yield from (of_steps(each, 3) for each in of_all_ranks(4))
