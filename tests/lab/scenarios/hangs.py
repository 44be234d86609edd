# SPDX-License-Identifier: Apache-2.0
"""Ranks that die, stop, never come, or call something else."""

import signal

from scoring.hangs import Hang


def scenarios():
    for ranks in (2, 4):
        last = ranks - 1
        yield Hang(f"hang_healthy_{ranks}", "nothing", ranks=ranks)
        yield Hang(f"killed_{ranks}", "died", signal=signal.SIGKILL, rank=last, ranks=ranks)
        yield Hang(f"stopped_for_ever_{ranks}", "missing", signal=signal.SIGSTOP, rank=last, ranks=ranks)
        for step in (5, 25):
            yield Hang(f"dying_{step}_{ranks}", "died", (f"dying_rank:rank={last},step={step}",), rank=last, ranks=ranks)
            yield Hang(f"never_comes_{step}_{ranks}", "missing", (f"stuck_loader:rank={last},step={step}",), rank=last, ranks=ranks)
    for by in ("function", "count"):
        for rank in (0, 2):  # of 4: of two ranks that differ nobody knows which is wrong
            yield Hang(f"mismatch_{by}_{rank}", "mismatch", (f"mismatch:rank={rank},reduction=30,by={by}",), rank=rank)
