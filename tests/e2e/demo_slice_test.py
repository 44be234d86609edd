# SPDX-License-Identifier: Apache-2.0
"""The demo: two faults at once, both of which the report names, the late rank with its number. The text report agrees."""

import lab


class DemoSlice(lab.Scenario):
    def test_both_planted_faults_are_named(self):
        rank, milliseconds = self.draw.randrange(lab.RANKS), self.draw.randrange(15, 40)
        directory = self.training("demo", [f"late_rank:rank={rank},ms={milliseconds},by=compute", "small_buckets:mb=0.1"])
        result = lab.report(directory)
        self.finding(result, "late_rank", ranks=[rank])
        self.finding(result, "small_messages")
        self.assertTrue(result["run"]["emulated"], "a run on the CPU platform must carry the label emulated")
        self.assertEqual(result["run"]["ranks_present"], list(range(lab.RANKS)))
        text = lab.run([lab.RINGSIDE, "report", directory]).stdout
        self.assertRegex(text, rf"(?i)rank {rank}\b")
        self.assertRegex(text, r"(?i)bucket")


if __name__ == "__main__":
    lab.main()
