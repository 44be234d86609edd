# SPDX-License-Identifier: Apache-2.0
"""Device memory that grows from step to step: of a job that goes on, and of one that it ends.

The strengths are small because what is kept is memory of this machine, which its processors set to zero."""

from scoring.out_of_memory import OutOfMemory
from scoring.scenario import Scenario


def scenarios():
    for ranks in (2, 4):
        for mb in (1, 4):
            # It costs no time until it ends the job.
            yield Scenario(f"memory_growth_{mb}mb_{ranks}", (f"memory_growth:mb={mb}",), ranks, steps=60, expect=("memory_near_limit",),
                           where=tuple(range(ranks)), leads=False, cost=False)
        for mb in (4, 12):
            yield OutOfMemory(f"memory_full_{mb}mb_{ranks}", mb, ranks)
