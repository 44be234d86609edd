# SPDX-License-Identifier: Apache-2.0
"""The matrix's kinds of faults with random strengths, places, models and world sizes, so that no threshold can be tuned to
them: score.py --draw SEED. A fault with too small an effect does not count; the training without the fault decides."""

import dataclasses
import os
import random

from disturbances.links import SlowDirection, SlowHost
from disturbances.processor import Stops
from scenarios import links, processor, trainer
from scenarios.models import CONVNET, TRANSFORMER, WIDE
from scoring.hangs import Hang
from scoring.places import Hosts
from scoring.scenario import Scenario


class Draw:
    """What a seed gives. Each value is rounded as somebody would write it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.choice = self.random.choice
        self.whole = self.random.randint

    def between(self, least, most):
        """Of a scale that counts in ratios, two digits."""
        return float(f"{least * (most / least) ** self.random.random():.2g}")

    def ms(self, least, most):
        return round(self.between(least, most))

    def ranks(self):
        return self.whole(2, 6)

    def layers(self):
        """A perceptron whose gradients fill several buckets of 1 MiB."""
        hidden = self.choice((192, 224, 256, 320))
        return "--hidden", hidden, "--layers", self.whole(8, 20), "--bucket-cap-mb", self.between(0.7, 1.5)

    def model(self):
        """Shape and batch of a rank, so that a healthy step's communication mostly hides."""
        return self.choice(({"shape": self.layers(), "batch": self.choice((48, 64, 96))}, {"shape": TRANSFORMER, "batch": 16},
                            {"shape": WIDE, "batch": 64}, {"shape": CONVNET, "batch": 16}))


def many_layers(draw):
    return "--hidden", draw.choice((96, 128, 160)), "--layers", draw.whole(40, 64), "--bucket-cap-mb", 1.5


def late(draw):
    ranks, cause = draw.ranks(), draw.choice(("compute", "data", "host"))
    return trainer.late(cause, draw.ms(20, 120), draw.whole(0, ranks - 1), ranks, **draw.model())


def throttled(draw):
    ranks = draw.ranks()
    return trainer.throttled(draw.between(1.25, 2), draw.whole(0, ranks - 1), ranks, **draw.model())


def wide_layers(draw):
    return "--hidden", draw.choice((448, 512, 576)), "--layers", draw.whole(6, 10), "--bucket-cap-mb", 1


def with_map(draw):
    shape = many_layers(draw)
    return trainer.unused_parameters(2 * (shape[3] + 1), draw.ranks(), shape)


def healthy(draw):
    ranks = draw.ranks()
    options = draw.choice(((), ("--optimizer", "adam"), ("--accumulate", draw.choice((2, 4))), ("--gradients", "bf16"),
                           ("--precision", "bf16")))
    return Scenario(f"healthy_{ranks}", ranks=ranks, options=options, **draw.model())


def stopped(draw):
    ranks, ms = draw.ranks(), draw.ms(80, 300)
    rank = draw.whole(0, ranks - 1)
    return Scenario(f"stopped_{ms}ms_{ranks}", ranks=ranks, steps=48, disturbed=(Stops(rank, ms, 2 * ms + 200),), expect=("late_rank",),
                    where=(rank,), allow=processor.ALSO, leads=False)


def slow_card(draw):
    host, rate = draw.whole(0, 3), f"{draw.ms(80, 250)}mbit"
    ring = [f"{a} -> {b}" for a, b in zip("abcd", "bcda")]
    return Scenario(f"slow_card_{rate}", place=Hosts("abcd"), disturbed=(SlowHost("abcd"[host], rate),), expect=("slow_link",),
                    where=(host,), links=(ring[host - 1], ring[host]), allow=links.AGAIN)


def slow_direction(draw):
    sender, rate = draw.whole(0, 3), f"{draw.ms(80, 250)}mbit"
    receiver = (sender + 1) % 4
    return Scenario(f"slow_direction_{rate}", place=Hosts("abcd"), disturbed=(SlowDirection("abcd"[sender], "abcd"[receiver], rate),),
                    expect=("slow_link",), where=(sender, receiver), links=(f"{'abcd'[sender]} -> {'abcd'[receiver]}",), allow=links.AGAIN)


def never_comes(draw):
    ranks, step = draw.choice((2, 4, 8)), draw.whole(3, 40)  # which divide the trainer's batch
    rank = draw.whole(0, ranks - 1)
    return Hang(f"never_comes_{step}_{ranks}", "missing", (f"stuck_loader:rank={rank},step={step}",), rank=rank, ranks=ranks)


KINDS = (
    late, late, late, throttled, healthy, healthy, healthy, stopped, slow_card, slow_direction, never_comes, with_map,
    lambda draw: trainer.moving_straggler(draw.ms(40, 160), draw.ranks(), **draw.model()),
    # In few steps the mean of what is drawn is far from the half of it that the same training without skew gets.
    lambda draw: trainer.data_skew(draw.ms(80, 300), draw.ranks(), steps=64, **draw.model()),
    lambda draw: trainer.small_buckets(draw.between(0.005, 0.08), draw.ranks(), many_layers(draw)),
    lambda draw: trainer.huge_buckets(draw.choice((16, 24, 32, 48)), draw.ranks(), wide_layers(draw)),
    lambda draw: trainer.data_stall(draw.whole(2, 5), draw.ms(60, 300), draw.ranks(), **draw.model()),
    lambda draw: trainer.checkpoint(draw.whole(4, 10), draw.ms(150, 600), draw.ranks(), shape=draw.layers()),
    lambda draw: trainer.sync_every_part(draw.choice((2, 3, 4, 8)), draw.ranks(), shape=draw.layers(), batch=48),
    lambda draw: trainer.allocation_churn(draw.whole(4, 40), draw.choice((1, 4, 16, 64)), draw.ranks(), **draw.model()),
    lambda draw: trainer.pageable_copies(draw.choice((768, 1536, 3072)), draw.whole(2, 4)),
    lambda draw: trainer.no_overlap(draw.choice((24, 48, 96)), draw.ranks()),
    lambda draw: trainer.parameter_server(draw.choice((24, 48, 96)), draw.whole(3, 6)),
    lambda draw: trainer.host_sync(draw.choice((24, 48, 96)), draw.ranks()),
)


def scenarios(seed):
    """One of each."""
    draw = Draw(seed)
    for number, kind in enumerate(KINDS, 1):
        scenario = kind(draw)
        known = {}
        if isinstance(scenario, Scenario):
            # Each rank keeps half a processor busy: more of them than there are for really wait for one.
            crowded = frozenset(("cpu_contention",) if scenario.ranks > 2 * os.cpu_count() else ())
            known = {"drawn": True, "allow": scenario.allow | crowded}
        yield dataclasses.replace(scenario, name=f"{seed}.{number}_{scenario.name}", **known)
