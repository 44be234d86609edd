# SPDX-License-Identifier: Apache-2.0
"""Offsets from microseconds to seconds, drifts of what quartz has and more, worlds of 2, 3 and 4."""

from scoring.clocks import Clocks

US, MS, S = 1_000, 1_000_000, 1_000_000_000


def scenarios():
    for offset, drift in ((5 * US, 0), (300 * US, 1), (-20 * MS, 10), (3 * S, 25), (-2 * S, 50), (700 * MS, -50)):
        yield Clocks(f"clock_{offset / MS:g}ms_{drift}ppm_2", ((offset, drift),))
    for offset, drift in ((-40 * US, 2), (40 * MS, -30), (60 * S, 50)):
        yield Clocks(f"clock_{offset / MS:g}ms_{drift}ppm_3", ((offset, drift), (-offset // 2, -drift)))
    for offset, drift in ((100 * US, 0), (-1 * MS, -10), (9 * S, 40)):
        yield Clocks(f"clock_{offset / MS:g}ms_{drift}ppm_4", ((offset, drift), (-offset, 0), (offset // 3, -drift)))
    for offset, drift in ((2 * MS, 5), (-5 * S, -20)):
        yield Clocks(f"clock_{offset / MS:g}ms_{drift}ppm_2x2", ((offset, drift),), ranks_a_host=2)
