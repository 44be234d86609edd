# SPDX-License-Identifier: Apache-2.0
"""A host's CLOCK_MONOTONIC that began at another time and runs at another rate, as that of every real host does."""

import dataclasses
import os
import pathlib
import sys
import time

import lab

LIBRARY = lab.BUILD / "lib" / "lab" / "libplanted_clock.so"
LAUNCHER = pathlib.Path(__file__).with_name("in_other_time.py")


@dataclasses.dataclass(frozen=True)
class Clock:
    offset_ns: int
    drift_ppm: float
    since_ns: int = dataclasses.field(default_factory=time.monotonic_ns)  # the drift begins

    def missing(self):
        if not LIBRARY.exists():
            return f"{LIBRARY.name} was not built"
        return None if os.path.exists("/proc/self/timens_offsets") else "the kernel has no time namespaces"

    def words(self):
        return [sys.executable, LAUNCHER, self.offset_ns, self.drift_ppm, self.since_ns, LIBRARY]

    def ahead_ns(self, monotonic_ns):
        """Of this machine's clock, when that says so much."""
        return self.offset_ns + self.drift_ppm * 1e-6 * (monotonic_ns - self.since_ns)
