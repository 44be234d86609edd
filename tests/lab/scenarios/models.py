# SPDX-License-Identifier: Apache-2.0
"""The trainer's other models, healthy and with faults. Batches are as large as leaves messages something to hide behind."""

from scoring.scenario import Scenario

TRANSFORMER = ("--model", "transformer")
WIDE = ("--model", "widemlp")
CONVNET = ("--model", "convnet")


def scenarios():
    for ranks in (2, 4):
        last = ranks - 1
        yield Scenario(f"healthy_transformer_{ranks}", ranks=ranks, shape=TRANSFORMER, batch=16)
        yield Scenario(f"healthy_widemlp_{ranks}", ranks=ranks, shape=WIDE)
        yield Scenario(f"healthy_convnet_{ranks}", ranks=ranks, shape=CONVNET, batch=16)
        yield Scenario(f"transformer_late_60ms_{ranks}", (f"late_rank:rank={last},ms=60",), ranks, shape=TRANSFORMER, batch=16,
                       expect=("late_rank",), where=(last,), allow=frozenset(("compute_imbalance",)))
        yield Scenario(f"transformer_host_sync_{ranks}", ("host_sync",), ranks, shape=TRANSFORMER, batch=16, expect=("sync_in_loop",))
        yield Scenario(f"transformer_data_stall_150ms_{ranks}", ("data_stall:every=3,ms=150",), ranks, shape=TRANSFORMER, batch=16,
                       expect=("data_loading_stall",))
