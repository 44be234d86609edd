# SPDX-License-Identifier: Apache-2.0
"""Each fault of the trainer that concerns all ranks is named by the rule that exists for it."""

import lab


class SingleFault(lab.Scenario):
    def test_small_buckets_are_named(self):
        result = lab.report(self.training("small_buckets", ["small_buckets:mb=0.1"]))
        self.finding(result, "small_messages")

    def test_missing_overlap_is_named(self):
        result = lab.report(self.training("no_overlap", ["no_overlap"]))
        self.finding(result, "exposed_communication")

    def test_a_stalling_loader_is_named(self):
        result = lab.report(self.training("data_stall", ["data_stall"]))
        self.finding(result, "data_loading_stall")

    def test_synchronisation_in_the_loop_is_named(self):
        result = lab.report(self.training("host_sync", ["host_sync"]))
        self.finding(result, "sync_in_loop")


if __name__ == "__main__":
    lab.main()
