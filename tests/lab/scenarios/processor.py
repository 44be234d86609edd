# SPDX-License-Identifier: Apache-2.0
"""The processor of one rank is taken away."""

from disturbances.processor import Hogs, Quota, Stops
from scoring.scenario import Scenario

# The emulated NCCL and its devices run on the processor that is taken away, and slow down with it.
ALSO = frozenset(("collective_bandwidth_low", "compute_imbalance", "data_loading_stall", "host_bound", "large_last_bucket",
                  "late_rank"))


def scenarios():
    for ranks in (2, 4):
        last = ranks - 1
        for processors in (0.05, 0.08):
            yield Scenario(f"quota_{processors}_{ranks}", ranks=ranks, disturbed=(Quota(last, processors),), expect=("cpu_contention",),
                           where=(last,), allow=ALSO, leads=False, cost=False)
        for count in (8, 16):  # bound to one processor, which is fewer than a rank needs
            yield Scenario(f"hogs_{count}_{ranks}", ranks=ranks, disturbed=(Hogs(last, count),), expect=("late_rank", "cpu_contention"),
                           where=(last,), allow=ALSO | {"cpu_affinity"}, leads=False)
        for ms in (100, 200):
            yield Scenario(f"stopped_{ms}ms_{ranks}", ranks=ranks, steps=48, disturbed=(Stops(0, ms, 500),), expect=("late_rank",),
                           where=(0,), allow=ALSO, leads=False)
