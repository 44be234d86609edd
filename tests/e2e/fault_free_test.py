# SPDX-License-Identifier: Apache-2.0
"""A run without faults: nothing is called a problem, the JSON keeps its contract, and its parts sum to the step."""

import json

import jsonschema
import lab

SCHEMA = lab.ROOT / "analyzer" / "report" / "ringside-report-1.schema.json"
PARTS = ("compute_ns", "exposed_communication_ns", "exposed_copy_ns", "idle_ns")


class FaultFree(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.directory = cls.training("fault_free")
        cls.result = lab.report(cls.directory)

    def test_nothing_is_called_a_problem(self):
        problems = [(each["rule"], each["title"]) for each in self.result["findings"]
                    if each["severity"] == "problem" and not lab.is_of_the_hypervisor(each)]
        self.assertEqual(problems, [])

    def test_the_report_keeps_its_schema(self):
        schema = json.loads(SCHEMA.read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.validate(self.result, schema)

    def test_the_schema_refuses_a_report_without_ranks(self):
        broken = {key: value for key, value in self.result.items() if key != "ranks"}
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(broken, json.loads(SCHEMA.read_text()))

    def test_the_parts_sum_to_the_step_to_the_nanosecond(self):
        self.assertEqual(len(self.result["ranks"]), lab.RANKS)
        for rank in self.result["ranks"]:
            self.assertGreater(rank["compute_ns"], 0)
            self.assertEqual(sum(rank[part] for part in PARTS), rank["step_ns"], f"rank {rank['rank']}")

    def test_nothing_was_dropped(self):
        self.assertEqual(self.result["coverage"]["dropped_records"], 0)
        self.assertEqual(self.result["coverage"]["recovered_records"], 0)


if __name__ == "__main__":
    lab.main()
