# SPDX-License-Identifier: Apache-2.0
"""What the operating system does to a run: a file a kind. Each says by missing() why this machine cannot do it, is there while
made() is open, whatever ends that, and has words() that a rank's command begins with."""


class Disturbance:
    is_of_all_ranks = False  # it disturbs all alike, so that none is to blame

    def missing(self):
        return None

    def words(self, rank):
        return ()
