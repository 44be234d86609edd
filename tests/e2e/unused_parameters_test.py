# SPDX-License-Identifier: Apache-2.0
"""The search for unused parameters is named where every step pays for it, and not where only the first one does."""

import lab


class UnusedParameters(lab.Scenario):
    def test_a_search_in_every_step_is_named(self):
        result = lab.report(self.training("every_step", extra=("--find-unused-parameters",)))
        found = self.finding(result, "unused_parameter_search")
        self.assertEqual(found["figures"]["elements"]["value"], 26)  # weights and bias of 13 layers

    def test_a_search_in_the_first_step_is_not(self):
        for options in (("--static-graph",), ("--find-unused-parameters", "--static-graph")):
            with self.subTest(options):
                result = lab.report(self.training("first_step", extra=options))
                self.assertNotIn("unused_parameter_search", [each["rule"] for each in result["findings"]])
                self.assertNotIn("unused_parameter_search", [each["rule"] for each in result["not_applicable"]])


if __name__ == "__main__":
    lab.main()
