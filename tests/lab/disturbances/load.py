# SPDX-License-Identifier: Apache-2.0
"""Other work on the host, which disturbs all ranks alike: nothing that a report should blame a rank, a link or a setting for."""

import contextlib
import dataclasses
import os
import subprocess
import sys

from disturbances import Disturbance

PROGRAMS_A_PROCESSOR = 4
# Computes for some ms and rests for seven times as long, both log-normal: short, so that no rank gets much more of it than another.
BURSTS = """
import random, sys, time
draw = random.Random(int(sys.argv[1]))
while True:
    until = time.monotonic() + min(0.02, draw.lognormvariate(-6, 0.8))
    while time.monotonic() < until:
        pass
    time.sleep(min(0.14, draw.lognormvariate(-4.05, 0.8)))
"""


@dataclasses.dataclass(frozen=True)
class BusyHost(Disturbance):
    """Programs that together want every processor half of the time."""

    seed: int = 1
    is_of_all_ranks = True

    @contextlib.contextmanager
    def made(self):
        programs = [subprocess.Popen([sys.executable, "-c", BURSTS, str(self.seed + i)])
                    for i in range(PROGRAMS_A_PROCESSOR * os.cpu_count())]
        try:
            yield
        finally:
            for program in programs:
                program.kill()
                program.wait()


@dataclasses.dataclass(frozen=True)
class FullHost(Disturbance):
    """So many programs for every processor that never rest."""

    programs: int
    is_of_all_ranks = True

    @contextlib.contextmanager
    def made(self):
        programs = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(self.programs * os.cpu_count())]
        try:
            yield
        finally:
            for program in programs:
                program.kill()
                program.wait()
