# SPDX-License-Identifier: Apache-2.0
"""Trainings with nothing wrong, some of them unusual: whatever warns is a false claim."""

from scoring.scenario import MANY_LAYERS, Scenario


def scenarios():
    for ranks in (2, 3, 4):
        yield Scenario(f"healthy_{ranks}", ranks=ranks)
        yield Scenario(f"healthy_many_layers_{ranks}", ranks=ranks, shape=MANY_LAYERS)
        yield Scenario(f"healthy_accumulating_{ranks}", ranks=ranks, options=("--accumulate", 4))
        yield Scenario(f"healthy_fp16_{ranks}", ranks=ranks, options=("--gradients", "fp16"))
        yield Scenario(f"healthy_adam_{ranks}", ranks=ranks, options=("--optimizer", "adam"))
