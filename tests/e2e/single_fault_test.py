# SPDX-License-Identifier: Apache-2.0
"""Each fault of the trainer that concerns all ranks is named by the rule that exists for it."""

import lab


# As much compute and as many bytes as lab.SHAPE, in 48 messages a step with the buckets drawn below: 245 to 292 ms a step,
# against 136 to 139 with larger ones. Fewer messages hide behind backward and cost nothing: the 12 of that shape take 138 ms,
# the 24 of 0.1 MiB here 135.
MANY_LAYERS = ("--hidden", 128, "--layers", 48, "--bucket-cap-mb", 1.5)


class SingleFault(lab.Scenario):
    def test_small_buckets_are_named(self):
        mb = self.draw.choice((0.01, 0.02, 0.05))
        result = lab.report(self.training("small_buckets", [f"small_buckets:mb={mb}"], shape=MANY_LAYERS))
        self.first(result, "small_messages")

    def test_missing_overlap_is_named(self):
        result = lab.report(self.training("no_overlap", ["no_overlap"]))
        self.first(result, "exposed_communication")

    def test_a_stalling_loader_is_named(self):
        every, milliseconds = self.draw.randrange(2, 5), self.draw.randrange(80, 160)
        result = lab.report(self.training("data_stall", [f"data_stall:every={every},ms={milliseconds}"]))
        self.first(result, "data_loading_stall")

    def test_synchronisation_in_the_loop_is_named(self):
        result = lab.report(self.training("host_sync", ["host_sync"]))
        self.first(result, "sync_in_loop")


if __name__ == "__main__":
    lab.main()
