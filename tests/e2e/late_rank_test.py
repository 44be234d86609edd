# SPDX-License-Identifier: Apache-2.0
"""A rank that comes late to every collective is named, whatever made it late."""

import lab


class LateRank(lab.Scenario):
    # Data is asked for some 8 ms before the device runs out of work, which hide as much of its delay.
    SHORTEST_MS = {"compute": 15, "data": 25}

    def late(self, cause):
        rank, milliseconds = self.draw.randrange(lab.RANKS), self.draw.randrange(self.SHORTEST_MS[cause], 40)
        directory = self.training(f"late_{cause}", [f"late_rank:rank={rank},ms={milliseconds},by={cause}"])
        finding = self.first(lab.report(directory), "late_rank", ranks=[rank])
        lost_ms = finding["cost_ns_per_step"] / 1e6
        self.assertGreater(lost_ms, 0.25 * milliseconds, "the lost time is far below the planted delay")

    def test_names_the_rank_that_computes_longer(self):
        self.late("compute")

    def test_names_the_rank_whose_data_comes_late(self):
        self.late("data")


if __name__ == "__main__":
    lab.main()
