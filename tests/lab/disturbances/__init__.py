# SPDX-License-Identifier: Apache-2.0
"""Disturbances of a run by the operating system, one file per kind. missing() returns why this machine cannot create it, made() is a
context manager that creates and always removes it, and words() returns the prefix of a rank's command."""


class Disturbance:
    is_of_all_ranks = False  # it disturbs all alike, so that none is to blame

    def missing(self):
        return None

    def words(self, rank):
        return ()
