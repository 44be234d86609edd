# SPDX-License-Identifier: Apache-2.0
"""What a scenario ends with: ctest shows one that looked at nothing as skipped, and counts no skipped test as passed."""

import io
import unittest

import lab


class Here(unittest.TestCase):
    def test_passes(self):
        pass


class Fails(unittest.TestCase):
    def test_fails(self):
        self.fail("on purpose")


@unittest.skip("something is missing")
class Elsewhere(unittest.TestCase):
    def test_is_not_run(self):
        self.fail("it ran")


class ElsewhereFoundLate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("something is missing")

    test_is_not_run = test_is_not_run_either = Elsewhere.test_is_not_run


class Skipped(unittest.TestCase):
    def ends_with(self, *cases):
        tests = unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromTestCase, cases))
        return lab.exit_code(unittest.TextTestRunner(stream=io.StringIO()).run(tests))

    def test_a_scenario_of_which_nothing_ran_is_skipped(self):
        self.assertEqual(self.ends_with(Elsewhere), lab.SKIPPED)
        self.assertEqual(self.ends_with(ElsewhereFoundLate), lab.SKIPPED)

    def test_one_of_which_a_part_ran_passes_or_fails_by_that(self):
        self.assertEqual(self.ends_with(Elsewhere, ElsewhereFoundLate, Here), 0)
        self.assertEqual(self.ends_with(Elsewhere, ElsewhereFoundLate, Fails), 1)


def load_tests(loader, tests, pattern):
    """The cases above are examples, and no tests of their own."""
    return loader.loadTestsFromTestCase(Skipped)


if __name__ == "__main__":
    lab.main()
