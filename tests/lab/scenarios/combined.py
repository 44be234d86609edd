# SPDX-License-Identifier: Apache-2.0
"""Two faults at once: both must be named."""

from scoring.scenario import MANY_LAYERS, Scenario


def of_a_world(ranks):
    last = ranks - 1
    for name, faults, expect, more in (
            ("late_and_small_buckets", (f"late_rank:rank={last},ms=50", "small_buckets:mb=0.03"), ("late_rank", "small_messages"),
             {"shape": MANY_LAYERS, "where": (last,)}),
            ("late_and_stalls", (f"late_rank:rank={last},ms=50", "data_stall:every=3,ms=120"), ("late_rank", "data_loading_stall"),
             {"where": (last,)}),
            ("parts_and_map", ("sync_every_part",), ("sync_every_micro_step", "unused_parameter_search"),
             {"options": ("--accumulate", 2), "wrong": ("--find-unused-parameters",)}),
            ("sync_and_server", ("host_sync", "parameter_server"), ("sync_in_loop", "parameter_server_pattern"), {})):
        yield Scenario(f"{name}_{ranks}", faults, ranks, expect=expect, leads=False, cost=False,
                       allow=frozenset(("compute_imbalance", "small_messages")), **more)


def scenarios():
    return [*of_a_world(2), *of_a_world(4)]
