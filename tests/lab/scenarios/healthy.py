# SPDX-License-Identifier: Apache-2.0
"""Trainings with nothing wrong, some of them unusual: whatever warns is a false claim."""

import os

from scenarios.models import CONVNET, TRANSFORMER, WIDE
from scoring.scenario import MANY_LAYERS, Scenario

DEEP = ("--hidden", 192, "--layers", 20, "--bucket-cap-mb", 0.7)
LONG_MESSAGES = ("--hidden", 320, "--layers", 16, "--bucket-cap-mb", 3)


def unusual():
    yield Scenario("healthy_static_graph_4", options=("--static-graph",))
    yield Scenario("healthy_checkpointed_activations_4", options=("--checkpoint-activations", 3))
    yield Scenario("healthy_bf16_4", options=("--precision", "bf16"))
    yield Scenario("healthy_fp16_loss_scaled_3", ranks=3, options=("--precision", "fp16", "--gradients", "fp16"))
    yield Scenario("healthy_deep_2", ranks=2, shape=DEEP, batch=96)
    yield Scenario("healthy_deep_adam_4", shape=DEEP, batch=96, options=("--optimizer", "adam"))
    yield Scenario("healthy_long_messages_4", shape=LONG_MESSAGES, batch=96)
    yield Scenario("healthy_transformer_accumulating_2", ranks=2, shape=TRANSFORMER, batch=32, options=("--accumulate", 2))
    yield Scenario("healthy_convnet_bf16_3", ranks=3, shape=CONVNET, batch=16, options=("--precision", "bf16"))
    yield Scenario("healthy_widemlp_adam_2", ranks=2, shape=WIDE, options=("--optimizer", "adam"))
    yield Scenario("healthy_long_run_2", ranks=2, steps=80)
    # Each rank keeps half a processor busy: more of them than there are for really wait for one.
    crowded = frozenset(("cpu_contention",) if 6 > 2 * os.cpu_count() else ())
    yield Scenario("healthy_6", ranks=6, allow=crowded)
    yield from (Scenario(f"healthy_no_marks_{ranks}", ranks=ranks, marked=False) for ranks in (2, 4))
    yield Scenario("healthy_no_marks_transformer_2", ranks=2, shape=TRANSFORMER, batch=16, marked=False)


def scenarios():
    yield from unusual()
    for ranks in (2, 3, 4):
        yield Scenario(f"healthy_{ranks}", ranks=ranks)
        yield Scenario(f"healthy_many_layers_{ranks}", ranks=ranks, shape=MANY_LAYERS)
        yield Scenario(f"healthy_accumulating_{ranks}", ranks=ranks, options=("--accumulate", 4))
        yield Scenario(f"healthy_fp16_{ranks}", ranks=ranks, options=("--gradients", "fp16"))
        yield Scenario(f"healthy_adam_{ranks}", ranks=ranks, options=("--optimizer", "adam"))
