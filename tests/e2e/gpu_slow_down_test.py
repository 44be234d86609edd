# SPDX-License-Identifier: Apache-2.0
"""The statistics of tests/e2e/gpu: the slow-down, its confidence interval, and the order of the runs."""

import itertools
import math
import random
import sys
import unittest

import lab

sys.path.insert(0, str(lab.ROOT / "tests" / "e2e" / "gpu"))
import intervals  # noqa: E402

DRAWS = 2000
KINDS = ["plain", "light", "deep"]


class SlowDown(unittest.TestCase):
    def test_figures_of_a_sample_known_from_the_textbook(self):
        """Logarithms 0.01, 0.02 ... 0.05: mean 0.03, standard deviation 0.0158114, t of 4 degrees 2.776."""
        percent, low, high = intervals.slow_down([1.0] * 5, [math.exp(0.01 * each) for each in range(1, 6)])
        half = 2.776 * 0.0158114 / math.sqrt(5)
        for value, expected in ((percent, 0.03), (low, 0.03 - half), (high, 0.03 + half)):
            self.assertAlmostEqual(value, 100 * (math.exp(expected) - 1), places=3)

    def test_a_machine_that_drifts_cancels_within_a_round(self):
        base = [10.0, 20.0, 40.0, 80.0]
        for value in intervals.slow_down(base, [1.02 * each for each in base]):
            self.assertAlmostEqual(value, 2.0)

    def test_the_interval_holds_the_truth_in_95_of_100_draws(self):
        draw = random.Random(lab.SEED)
        for rounds in (3, 8, 40):
            held = 0
            for _ in range(DRAWS):
                base = [draw.lognormvariate(0, 0.3) for _ in range(rounds)]
                _, low, high = intervals.slow_down(base, [each * draw.lognormvariate(math.log(1.03), 0.02) for each in base])
                held += low <= 3.0 <= high
            self.assertAlmostEqual(held / DRAWS, 0.95, delta=0.025, msg=f"{rounds} rounds")

    def test_too_few_rounds_give_no_figure(self):
        self.assertIsNone(intervals.slow_down([1.0, 1.0], [2.0, 2.0]))
        self.assertIn("too few rounds", intervals.table({"plain": [1e6, 1e6], "light": [2e6, 2e6]}, "plain"))
        self.assertIn("not measured", intervals.table({"plain": [], "light": []}, "plain"))

    def test_unequal_rounds_are_refused(self):
        with self.assertRaisesRegex(ValueError, "3 and 4 rounds"):
            intervals.slow_down([1.0] * 3, [1.0] * 4)

    def test_the_table_says_by_how_much_and_between_what(self):
        results = {"plain": [1e6, 1e6, 1e6, 1e6], "light": [1.01e6, 1.02e6, 1.03e6, 1.02e6]}
        self.assertRegex(intervals.table(results, "plain"), r"light +4 +1\.0200 +\+2\.00 %  \+0\.\d\d to \+3\.\d\d %")


class Rounds(unittest.TestCase):
    def test_every_kind_has_every_place_as_often(self):
        orders = [intervals.order(KINDS, number) for number in range(2 * len(KINDS))]
        for place, kind in itertools.product(range(len(KINDS)), KINDS):
            self.assertEqual(sum(each[place] == kind for each in orders), 2, f"{kind} at place {place}")

    def test_pairs_alternate(self):
        self.assertEqual([intervals.order(["a", "b"], number)[0] for number in range(4)], ["a", "b", "b", "a"])

    def measured(self, seconds_a_run, limit_s, most=20):
        clock = [0.0]

        def measure(kind, number):
            clock[0] += seconds_a_run
            return clock[0]
        return intervals.rounds(KINDS, measure, limit_s, most, clock=lambda: clock[0])

    def test_whole_rounds_that_fit_into_the_limit_are_made(self):
        self.assertEqual({kind: len(values) for kind, values in self.measured(10, limit_s=100).items()}, dict.fromkeys(KINDS, 3))

    def test_no_more_rounds_than_asked_for(self):
        self.assertEqual({len(values) for values in self.measured(1, limit_s=100, most=4).values()}, {4})


if __name__ == "__main__":
    lab.main()
