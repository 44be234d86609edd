# SPDX-License-Identifier: Apache-2.0
"""Faulty trainings without marked steps: the report must be the same as with marked steps."""

import dataclasses

from scenarios import trainer
from scenarios.trainer import FEW_BUCKETS, MANY_LAYERS


def of_a_world(ranks):
    last = ranks - 1
    yield trainer.late("compute", 60, last, ranks)
    yield trainer.late("host", 60, 0, ranks)
    yield trainer.throttled(1.6, last, ranks)
    yield trainer.moving_straggler(100, ranks)
    yield trainer.small_buckets(0.02, ranks)
    yield trainer.huge_buckets(32, ranks)
    yield trainer.checkpoint(8, 400, ranks)
    yield trainer.sync_every_part(4, ranks)
    yield trainer.unused_parameters(98, ranks, MANY_LAYERS)
    yield trainer.unused_parameters(26, ranks, FEW_BUCKETS)
    yield trainer.parameter_server(64, ranks)
    yield trainer.host_sync(64, ranks)


def scenarios():
    return [dataclasses.replace(each, name=f"no_marks_{each.name}", marked=False, cost=False)
            for ranks in (2, 4) for each in of_a_world(ranks)]
