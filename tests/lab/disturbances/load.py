# SPDX-License-Identifier: Apache-2.0
"""Other work on the host, which disturbs all ranks alike: nothing that a report should blame a rank, a link or a setting for."""

import contextlib
import dataclasses
import os
import subprocess
import sys

from disturbances import Disturbance

# Computes and rests in turn, for times whose logarithm is normal: most are short, a few long.
BURSTS = """
import random, sys, time
draw = random.Random(int(sys.argv[1]))
while True:
    until = time.monotonic() + min(0.2, draw.lognormvariate(-4.5, 1.0))
    while time.monotonic() < until:
        pass
    time.sleep(min(0.5, draw.lognormvariate(-4.5, 1.0)))
"""


@dataclasses.dataclass(frozen=True)
class BusyHost(Disturbance):
    """As many programs as processors, each of which wants one about half of the time."""

    seed: int = 1
    is_of_all_ranks = True

    @contextlib.contextmanager
    def made(self):
        programs = [subprocess.Popen([sys.executable, "-c", BURSTS, str(self.seed + i)]) for i in range(os.cpu_count())]
        try:
            yield
        finally:
            for program in programs:
                program.kill()
                program.wait()
