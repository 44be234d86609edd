# SPDX-License-Identifier: Apache-2.0
"""Without CUPTI, CUDA events around NCCL's calls identify late ranks, and the report claims nothing more."""

import json

import lab


class CudaEvents(lab.Scenario):
    def test_a_late_rank_is_named_without_cupti(self):
        rank = self.draw.randrange(lab.RANKS)
        directory = self.folder / "late.ringside"
        fault = f"late_rank:rank={rank},ms=30,by=compute"
        environment = {**lab.emulated_gpu(), "RINGSIDE_PLATFORM_CUPTI": "held"}
        told = lab.run([lab.RINGSIDE, "record", "-o", directory, "--profile", "standard", "--cuda-events", "--",
                        *lab.trainer_command(30, [fault])], environment=environment).stderr
        self.assertIn("another tool holds CUPTI", told)
        result = lab.report(directory)
        self.assertEqual(result["run"]["tiers"]["device"], [])
        self.assertEqual(result["run"]["tiers"]["events"], list(range(lab.RANKS)))
        finding = self.finding(result, "late_rank", ranks=[rank])
        self.assertGreater(finding["cost_ns_per_step"] / 1e6, 0.25 * 30, "the lost time is far below the planted delay")
        for each in result["ranks"]:
            self.assertIsNone(each["compute_ns"])
            self.assertIsNone(each["exposed_communication_ns"])
            self.assertGreater(each["communication_ns"], 0)
        text = " ".join(lab.run([lab.RINGSIDE, "report", directory]).stdout.split())
        self.assertIn("come from CUDA events", text)
        self.check_timeline(directory)

    def check_timeline(self, directory):
        """Every measured call lies on a track of its stream, under its name."""
        timeline = self.folder / "late.json"
        lab.run([lab.RINGSIDE, "export", "--format", "chrome", directory, "-o", timeline])
        events = [each for each in json.loads(timeline.read_text())["traceEvents"] if each.get("cat") == "event_time"]
        measured = json.loads(lab.run([lab.RINGSIDE, "query", directory, "SELECT count(*) AS n FROM event_time", "--format", "json"]).stdout)
        begins = [each for each in events if each["ph"] == "b"]
        self.assertEqual(len(begins), measured[0]["n"])
        self.assertGreater(len(begins), 0)
        self.assertEqual(len(events), 2 * len(begins))
        self.assertLessEqual({each["name"] for each in begins}, {"ncclAllReduce", "ncclBroadcast", "NCCL group"})


if __name__ == "__main__":
    lab.main()
