# SPDX-License-Identifier: Apache-2.0
"""Two of each: nothing wrong, a slow worker, a slow stage, unequal sequences, a rank that stops now and then, a slow link, full
experts. Other seeds than the unit tests'."""

from scoring.parallel import Parallel


def scenarios():
    return [Parallel(seed) for seed in range(1001, 1015)]
