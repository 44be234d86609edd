# SPDX-License-Identifier: Apache-2.0
"""`ringside doctor` on a machine whose GPUs are those of the CPU platform's NVML."""

import json
import unittest

import lab


class DoctorOfGpus(lab.Scenario):
    def visit(self, script):
        file = self.folder / "nvml.script"
        file.write_text(script)
        environment = {**lab.emulated_gpu(), "RINGSIDE_PLATFORM_DEVICES": "2", "RINGSIDE_NVML_SCRIPT": str(file)}
        found = json.loads(lab.run([lab.RINGSIDE, "doctor", "--format", "json"], environment=environment).stdout)["hosts"][0]
        return found["facts"], [(each["severity"], each["title"]) for each in found["findings"] if each["title"].startswith("GPU ")]

    def test_gpus_that_are_well_are_not_blamed(self):
        facts, found = self.visit("0 * persistence_mode=1 fabric_state=3 ecc_uncorrected=0 reasons=none\n")
        self.assertEqual(found, [])
        said = sorted(fact.split(".")[-1] for fact in facts if fact.startswith("gpu.") and fact.endswith(("mode", "state", "slowdowns")))
        self.assertEqual(said, ["fabric_state", "fabric_state", "persistence_mode", "persistence_mode", "slowdowns", "slowdowns"])

    def test_what_is_wrong_is_named(self):
        found = self.visit("0 * persistence_mode=0 fabric_state=3\n0 1 fabric_state=2 ecc_uncorrected=4 reasons=power_brake\n")[1]
        self.assertEqual([severity for severity, title in found], ["problem", "problem", "warning", "info", "info"])
        for part, (severity, title) in zip(("4 uncorrected memory errors", "joining the fabric", "power supply holds the clocks down",
                                            "persistence mode is off", "persistence mode is off"), found):
            self.assertIn(part, title)

    def test_a_driver_that_does_not_answer_is_no_finding(self):
        self.assertEqual(self.visit("this is no script\n")[1], [])


if __name__ == "__main__":
    lab.main()
